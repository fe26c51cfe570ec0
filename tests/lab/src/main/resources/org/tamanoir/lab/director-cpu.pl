# Starts a program for which ptrace(PTRACE_GETREGSET, …, NT_X86_XSTATE) does not exist (seccomp(2)); x86-64 alone.
#
# Where the processor has AMX the registers of a process are 11 KB. linux.uml of Linux 6.1 has room for less and stops when it sets them: it goes by the
# 512 octets of PTRACE_GETFPREGS where the larger set cannot be had. What the wider registers hold is not kept then, so the programs that it runs are told not
# to use them (GLIBC_TUNABLES).
my ($load, $equal, $return) = (0x20, 0x15, 0x06);
my ($number, $architecture, $request, $set) = (0, 4, 16, 32);
my @filter = (
    [$load, 0, 0, $architecture], [$equal, 0, 6, 0xc000003e],
    [$load, 0, 0, $number], [$equal, 0, 4, 101],
    [$load, 0, 0, $request], [$equal, 0, 2, 0x4204],
    [$load, 0, 0, $set], [$equal, 1, 0, 0x202],
    [$return, 0, 0, 0x7fff0000],
    [$return, 0, 0, 0x00050016],
);
my $code = join '', map { pack 'SCCL', @$_ } @filter;
my $program = pack 'S x6 P', scalar @filter, $code;
syscall(157, 38, 1, 0, 0, 0) == 0 or die "prctl(PR_SET_NO_NEW_PRIVS): $!\n";
syscall(157, 22, 2, $program) == 0 or die "prctl(PR_SET_SECCOMP): $!\n";
exec @ARGV or die "$ARGV[0]: $!\n";
