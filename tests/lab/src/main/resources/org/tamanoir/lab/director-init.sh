#!/bin/bash
# Process 1 of a director. Its root is that of the machine, read-only (hostfs): every program of the machine is there. What it writes is in
# memory and gone with it.
#
# The console: a line "NUMBER COMMAND" on standard input, the command as bash's printf %b reads it; then a line "#<NUMBER", its output, and a
# line "#>NUMBER STATUS". Of a long command the lines "+NUMBER PART" come before, each answered by "#+NUMBER". Where standard input ends, because
# nobody is left who could ask, the machine is switched off.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/run LC_ALL=C.UTF-8 MODPROBE_OPTIONS='-d /run/modules'
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmpfs /run
mkdir -p /run/modules/lib /run/log /run/lock
# The modules are not where modprobe(8) looks for them: programs are told by MODPROBE_OPTIONS, the kernel gets one that knows.
ln -s /usr/lib/uml/modules /run/modules/lib/modules
printf '#!/bin/sh\nGLIBC_TUNABLES=%s exec /sbin/modprobe -d /run/modules "$@"\n' "$GLIBC_TUNABLES" >/run/modprobe
chmod +x /run/modprobe
echo /run/modprobe >/proc/sys/kernel/modprobe
# What lies below /tmp is there, and what is written there is in memory as well.
mkdir -p /run/tmp/upper /run/tmp/work
mount -t overlay -o lowerdir=/tmp,upperdir=/run/tmp/upper,workdir=/run/tmp/work overlay /tmp
# Programs that find no system log write to the console (LOG_CONS of syslog(3)), into the answers to commands: give them another.
: >/run/log/console
ln -sf /run/log/console /dev/console
ip link set dev lo up
modprobe ip_vs
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.all.accept_dad=0 \
  net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0
stty raw -echo
echo "DIRECTOR-READY $(uname -r)"
parts=
while read -r number line; do
    if [ "${number:0:1}" = + ]; then
        parts+=$line
        echo "#$number"
        continue
    fi
    printf -v command %b "$parts$line"
    parts=
    echo "#<$number"
    # In a shell of its own: it may end as it likes.
    (eval "$command") </dev/null 2>&1
    # A command may leave its last line open.
    printf '\n#>%s %s\n' "$number" "$?"
done
echo o >/proc/sysrq-trigger
sleep 5
