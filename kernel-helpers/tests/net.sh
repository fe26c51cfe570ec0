# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests: a client, a node and a server, each in a namespace of its own, joined by veth; gone when the script ends.
#
#   client c0 10.1.0.1/24 fd01::1/64 -- n0 10.1.0.2 fd01::2 node n1 10.2.0.2 fd02::2 -- s0 10.2.0.1/24 fd02::1/64 server

set -euo pipefail
build=$(readlink -f "${1:?the build folder}")
tests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
client=tam-c-$$ node=tam-n-$$ server=tam-s-$$

[ "$(id -u)" = 0 ] || { echo "skipped: namespaces and BPF need root" >&2; exit 77; }

remove_net() {
    local name
    for name in "$client" "$node" "$server"; do
        ip netns delete "$name" 2>&1 || true
    done | cat >/dev/null
}
trap remove_net EXIT

make_net() {
    local mtu=${1:-9000}
    ip netns add "$client"
    ip netns add "$node"
    ip netns add "$server"
    ip link add c0 mtu "$mtu" netns "$client" type veth peer name n0 mtu "$mtu" netns "$node"
    ip link add s0 mtu "$mtu" netns "$server" type veth peer name n1 mtu "$mtu" netns "$node"
    ip netns exec "$node" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
    address "$client" c0 1 1
    address "$node" n0 1 2
    address "$node" n1 2 2
    address "$server" s0 2 1
    ip -n "$client" route add default via 10.1.0.2
    ip -n "$client" route add default via fd01::2
    ip -n "$server" route add default via 10.2.0.2
    ip -n "$server" route add default via fd02::2
    ip -n "$node" link set lo up
}

# address NAMESPACE INTERFACE NETWORK HOST
address() {
    ip -n "$1" address add "10.$3.0.$4/24" dev "$2"
    ip -n "$1" address add "fd0$3::$4/64" dev "$2" nodad
    ip -n "$1" link set "$2" up
}

in_node() {
    ip netns exec "$node" "$@"
}
