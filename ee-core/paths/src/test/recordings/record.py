#!/usr/bin/env python3
"""Records what the kernel says of a stream that is slow for a known reason: the recordings of RecordedStreamsTest.

A source, a node and a destination in namespaces of their own, 100 Mbit/s and 10 ms one way between them (the delay program of tests/lab). Needs root, nft, tc,
ethtool and gcc.

    record.py DIRECTORY [CAUSE|all [RUNS [SECONDS-BETWEEN-LOOKS]]]

A line for each look: nanoseconds; TCP_INFO of the node's connection from the source, of its connection to the destination and of the source's own, in
hex; then the node's nanoseconds of services, of pauses and of its class, the octets queued, and the octets that came. A run in which the kernel was short of memory
for TCP, which closes windows everywhere on the machine, is made again.
"""
import multiprocessing
import os
import select
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DELAY = os.path.join(HERE, '../../../../../tests/lab/src/main/c')
WARM_UP, SECONDS = 2.0, 3.0
STEP = float(sys.argv[4]) if len(sys.argv) > 4 else 0.1
CHUNK = 65536
CONGESTION = os.environ.get('CONGESTION', 'cubic').encode()
with open('/proc/sys/net/ipv4/tcp_mem') as limits:
    PRESSURE = int(limits.read().split()[0])
NAMES = ['source', 'node', 'destination', 'delay']
CAUSES = ['receiver', 'node-service', 'node-buffer', 'path-before', 'path-after', 'source', 'source-buffer', 'class']


def run(*command, namespace=None):
    subprocess.run((['ip', 'netns', 'exec', namespace] if namespace else []) + list(command), check=True, stdout=subprocess.DEVNULL)


class Lab:
    def __enter__(self):
        self.prefix = f'rec{os.getpid()}-'
        self.names = {name: self.prefix + name for name in NAMES}
        run('make', '-s', 'CC=gcc', '-C', DELAY, f'O=/tmp/{self.prefix}tools')
        for name in self.names.values():
            run('ip', 'netns', 'add', name)
        self.link('source', 'node', 1)
        self.link('node', 'destination', 2)
        box = self.names['delay']
        self.delay = subprocess.Popen(['ip', 'netns', 'exec', box, f'/tmp/{self.prefix}tools/tamanoir-delay', '10000', 'l1:r1', 'l2:r2'], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        assert self.delay.stdout.readline().startswith('READY')
        return self

    def link(self, left, right, number):
        box = self.names['delay']
        for host, end, address in ((left, f'l{number}', 1), (right, f'r{number}', 2)):
            inside = f'to{number}'
            run('ip', 'link', 'add', inside, 'netns', self.names[host], 'type', 'veth', 'peer', 'name', end, 'netns', box)
            for namespace, device in ((self.names[host], inside), (box, end)):
                run('sysctl', '-qw', 'net.ipv6.conf.all.disable_ipv6=1', namespace=namespace)
                run('ethtool', '-K', device, 'gso', 'off', 'tso', 'off', 'gro', 'off', 'tx', 'off', namespace=namespace)
                run('ip', 'link', 'set', device, 'up', namespace=namespace)
            run('ip', 'address', 'add', f'10.99.{number}.{address}/24', 'dev', inside, namespace=self.names[host])
            run('tc', 'qdisc', 'add', 'dev', inside, 'root', 'tbf', 'rate', '100mbit', 'burst', '128kb', 'latency', '50ms', namespace=self.names[host])

    def lose(self, host, device):
        rules = f'table inet loss {{ chain arriving {{ type filter hook prerouting priority -300; iifname "{device}" numgen random mod 100 < 1 drop; }} }}'
        run('nft', rules.replace('; ', ';\n').replace('{ ', '{\n').replace(' }', '\n}'), namespace=self.names[host])

    def heal(self, host):
        run('nft', 'flush', 'ruleset', namespace=self.names[host])

    def __exit__(self, *exception):
        self.delay.terminate()
        self.delay.wait()
        shutil.rmtree(f'/tmp/{self.prefix}tools')
        for name in self.names.values():
            run('ip', 'netns', 'delete', name)


def enter(namespace):
    with open(f'/run/netns/{namespace}') as file:
        os.setns(file.fileno(), 0x40000000) if hasattr(os, 'setns') else libc_setns(file.fileno())


def libc_setns(descriptor):
    import ctypes
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, 0x40000000):
        raise OSError(ctypes.get_errno(), 'setns')


def info(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 512).hex()


def tcp_memory():
    with open('/proc/net/sockstat') as file:
        return int(file.read().split(' mem ')[1].split()[0])


def sleep_until(moment):
    time.sleep(max(0, moment - time.monotonic()))


def destination(namespace, cause, ready):
    enter(namespace)
    listener = socket.create_server(('10.99.2.2', 7000))
    ready.set()
    connection, _ = listener.accept()
    if cause == 'receiver':
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    while connection.recv(CHUNK):
        if cause == 'receiver':
            time.sleep(0.05)


def source(namespace, cause, states):
    enter(namespace)
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONGESTION)
    if cause == 'source-buffer':
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
    connection.connect(('10.99.1.2', 7000))
    connection.setblocking(False)
    data, look, pause = bytes(CHUNK), time.monotonic() + STEP, 0
    while True:
        now = time.monotonic()
        if now >= look:
            states.send((now, info(connection)))
            look += STEP
        try:
            if now >= pause:
                connection.send(data)
                if cause == 'source':
                    pause = now + 0.25
            else:
                time.sleep(min(pause, look) - now if min(pause, look) > now else 0)
        except BlockingIOError:
            select.select([], [connection], [], max(0, look - now))
        except OSError:
            return


def node(namespace, cause, states, ready):
    enter(namespace)
    listener = socket.create_server(('10.99.1.2', 7000))
    ready.set()
    before, _ = listener.accept()
    after = socket.socket()
    after.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONGESTION)
    if cause == 'node-buffer':
        after.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
    after.connect(('10.99.2.2', 7000))
    before.setblocking(False)
    after.setblocking(False)
    service = paused = limited = octets = 0
    waiting, start, lines, observed, tokens = b'', time.monotonic(), [], {}, time.monotonic()
    look = start + STEP
    while True:
        now = time.monotonic()
        while states.poll():
            moment, state = states.recv()
            observed[moment] = state
        if now >= look:
            if now >= start + WARM_UP and observed:
                nearest = min(observed, key=lambda moment: abs(moment - now))
                if tcp_memory() > PRESSURE:
                    return None
                lines.append(f'{int(now * 1e9)} {info(before)} {info(after)} {observed[nearest]} {service} {paused} {limited} {len(waiting)} {octets}')
            look += STEP
            if now >= start + WARM_UP + SECONDS + STEP:
                return lines
        if waiting:
            _, writable, _ = select.select([], [after], [], max(0, look - now))
            paused += int((time.monotonic() - now) * 1e9)
            if writable:
                waiting = waiting[after.send(waiting):]
        else:
            readable, _, _ = select.select([before], [], [], max(0, look - now))
            if readable:
                waiting = before.recv(CHUNK)
                octets += len(waiting)
                begin = time.monotonic()
                if cause == 'node-service':
                    time.sleep(0.05 * len(waiting) / CHUNK)
                    service += int((time.monotonic() - begin) * 1e9)
                if cause == 'class':
                    # 10 Mbit/s.
                    tokens = max(tokens, begin) + len(waiting) * 8 / 10e6
                    sleep_until(tokens)
                    limited += int((time.monotonic() - begin) * 1e9)


def record(lab, cause):
    if cause == 'path-before':
        lab.lose('node', 'to1')
    if cause == 'path-after':
        lab.lose('destination', 'to2')
    states, far = multiprocessing.Pipe()
    ready = [multiprocessing.Event(), multiprocessing.Event()]
    lines, result = multiprocessing.Pipe(False)
    processes = [multiprocessing.Process(target=destination, args=(lab.names['destination'], cause, ready[0])),
                 multiprocessing.Process(target=lambda: result.send(node(lab.names['node'], cause, states, ready[1])))]
    for process, event in zip(processes, ready):
        process.start()
        assert event.wait(10)
    processes.append(multiprocessing.Process(target=source, args=(lab.names['source'], cause, far)))
    processes[-1].start()
    try:
        assert lines.poll(30), 'the node has not ended'
        return lines.recv()
    finally:
        for process in processes:
            process.kill()
            process.join()
        lab.heal('node')
        lab.heal('destination')


def main():
    directory = sys.argv[1]
    causes = CAUSES if len(sys.argv) < 3 or sys.argv[2] == 'all' else [sys.argv[2]]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(directory, exist_ok=True)
    multiprocessing.set_start_method('fork')
    with Lab() as lab:
        for number in range(runs):
            for cause in causes:
                lines = record(lab, cause)
                while lines is None:
                    print(cause, number, 'again: the kernel is short of memory for TCP', flush=True)
                    lines = record(lab, cause)
                with open(os.path.join(directory, f'{cause}.{number}.txt'), 'w') as file:
                    file.write(f'# Linux {os.uname().release} {os.uname().machine}\n')
                    file.write('\n'.join(lines) + '\n')
                print(cause, number, len(lines), flush=True)


if __name__ == '__main__':
    main()
