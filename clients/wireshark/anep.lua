-- SPDX-License-Identifier: Apache-2.0
-- ANEP as docs/anep.md has it, for Wireshark 4: header, options by their names, errors as expert information. For Lua 5.2 and 5.4.
-- Copy it to a folder of plug-ins (Help, About, Folders), or: tshark -X lua_script:anep.lua -r FILE

local anep = Proto("anep", "Active Network Encapsulation Protocol")

local HEADER, WORD = 8, 4
local JOINED = 3
local TYPE_ERROR, TYPE_CONTROL, TYPE_DYRAM = 0, 0x5400, 0x5405
local MAX_CHAIN, MAX_TEXT, MAX_STATE, MAX_PARAMETERS = 15, 1024, 60000, 1024

local types = {
    [0] = "error", [0x5400] = "control", [0x5401] = "forward", [0x5402] = "monitoring", [0x5403] = "compression", [0x5404] = "qosinus", [0x5405] = "dyram",
    [0x5406] = "aggregate", [0x5407] = "qos-monitoring", [0x5408] = "qos-decision", [0x5409] = "qos-enforcement", [0x540A] = "theodolite",
    [0x540C] = "cache",
    [0x540D] = "interest",
    [0x540F] = "transcode",
    [0x5410] = "coalesce",
    [0x540E] = "collect", [0x5411] = "election",
}
local schemes = { [1] = "IPv4", [2] = "IPv6", [3] = "IEEE 802.3" }
local authenticators = { [1] = "SPKI", [2] = "X.509", [0x4A575400] = "JSON Web Token" }
local forms = { [0] = "ANEP", [1] = "RAW" }
local encodings = { [1] = "GZIP", [2] = "ZSTD", [3] = "JOINED" }
local uses = { [0] = "OFFER", [1] = "ACCEPT", [2] = "END", [3] = "READY" }
local answers = { [0] = "QUESTION", [1] = "TAKES", [2] = "DRAINING" }
local kinds = { [0] = "welcome", [1] = "mark" }
local messages = { "Announce", "Listen", "Join", "Accept", "Refuse", "Data", "Nack", "Request", "Heard", "Report", "Echo", "Beat", "Leave", "Close", "Wrong", "Rejoin",
    "Challenge", "Answer", "Have" }
local services = { "detect", "aggregate", "subcast", "elect-hosts", "elect-sites", "repair-timer" }

local f = {
    version = ProtoField.uint8("anep.version", "Version"),
    flags = ProtoField.uint8("anep.flags", "Flags", base.HEX),
    flags_discard = ProtoField.bool("anep.flags.discard", "Discard if the Type ID is not known", 8, nil, 0x80),
    type_id = ProtoField.uint16("anep.type_id", "Type ID", base.HEX, types),
    header_length = ProtoField.uint16("anep.header_length", "Header length (words)"),
    packet_length = ProtoField.uint16("anep.packet_length", "Packet length (octets)"),
    option = ProtoField.uint16("anep.option", "Option", base.HEX),
    option_private = ProtoField.bool("anep.option.private", "Private to the Type ID", 16, nil, 0x8000),
    option_discard = ProtoField.bool("anep.option.discard", "Discard the packet if the option is not known", 16, nil, 0x4000),
    option_type = ProtoField.uint16("anep.option.type", "Option type", base.DEC, nil, 0x3FFF),
    option_length = ProtoField.uint16("anep.option.length", "Option length (words)"),
    option_value = ProtoField.bytes("anep.option.value", "Value"),
    checksum = ProtoField.uint16("anep.checksum", "Checksum", base.HEX),
    authentication_scheme = ProtoField.uint32("anep.authentication.scheme", "Scheme", base.HEX, authenticators),
    authentication_octets = ProtoField.bytes("anep.authentication.octets", "Authenticator"),
    stream_id = ProtoField.uint64("anep.stream.id", "Stream id"),
    stream_sequence = ProtoField.uint64("anep.stream.sequence", "Sequence number"),
    delivery_port = ProtoField.uint16("anep.delivery.port", "Port"),
    delivery_form = ProtoField.uint8("anep.delivery.form", "Form", base.DEC, forms),
    chain = ProtoField.uint16("anep.chain", "Service", base.HEX, types),
    previous_id = ProtoField.uint64("anep.previous_node.id", "Node id"),
    previous_port = ProtoField.uint16("anep.previous_node.code_port", "Port of its code server"),
    hops = ProtoField.uint8("anep.hops", "Hops left"),
    handed_over = ProtoField.bool("anep.hops.handed_over", "Handed over to back ends", 8, nil, 0x80),
    qos_session = ProtoField.uint64("anep.qos_session", "QoS session"),
    timestamp = ProtoField.uint64("anep.timestamp", "Nanoseconds since 1970"),
    encoding = ProtoField.uint8("anep.content_encoding", "Encoding", base.DEC, encodings),
    encoding_original = ProtoField.uint16("anep.content_encoding.original", "Octets before encoding"),
    error_code = ProtoField.uint16("anep.error.code", "Error code"),
    error_text = ProtoField.string("anep.error.text", "Text", base.UNICODE),
    connection_use = ProtoField.uint8("anep.connection.use", "Use", base.DEC, uses),
    connection_node = ProtoField.uint64("anep.connection.node", "Id of who offers"),
    cookie = ProtoField.uint64("anep.cookie", "Cookie", base.HEX),
    hop_check_says = ProtoField.uint8("anep.hop_check.says", "Says", base.DEC, answers),
    hop_check_number = ProtoField.uint64("anep.hop_check.number", "Number of the question"),
    resume_session = ProtoField.uint64("anep.resume.session", "Session", base.HEX),
    resume_token = ProtoField.bytes("anep.resume.token", "Token"),
    resume_epoch = ProtoField.uint32("anep.resume.epoch", "Epoch"),
    resume_fresh = ProtoField.bool("anep.resume.fresh", "Fresh", 8, nil, 0x80),
    resume_received = ProtoField.uint64("anep.resume.received", "Octets received"),
    resume_crc = ProtoField.uint32("anep.resume.crc", "CRC-32C of them", base.HEX),
    mark_kind = ProtoField.uint8("anep.mark.kind", "Kind", base.DEC, kinds),
    mark_last = ProtoField.bool("anep.mark.last", "Last", 8, nil, 0x80),
    mark_kept_last = ProtoField.bool("anep.mark.kept_last", "Kept last", 8, nil, 0x40),
    mark_done = ProtoField.bool("anep.mark.done", "Done", 8, nil, 0x20),
    mark_code = ProtoField.uint16("anep.mark.code", "Why the session is over (0: it goes on)"),
    mark_octets = ProtoField.uint64("anep.mark.octets", "Octets received or sent"),
    mark_crc = ProtoField.uint32("anep.mark.crc", "CRC-32C of them", base.HEX),
    mark_kept = ProtoField.uint64("anep.mark.kept", "Octets kept of the other direction"),
    connected = ProtoField.none("anep.connected", "Whether the destination has accepted"),
    trace_version = ProtoField.uint8("anep.trace.version", "Version"),
    trace_id = ProtoField.bytes("anep.trace.id", "Trace"),
    trace_parent = ProtoField.bytes("anep.trace.parent", "Parent"),
    trace_flags = ProtoField.uint8("anep.trace.flags", "Flags", base.HEX),
    trace_sampled = ProtoField.bool("anep.trace.sampled", "Sampled", 8, nil, 0x01),
    parameter_service = ProtoField.uint16("anep.parameter.service", "Service", base.HEX),
    parameter_text = ProtoField.string("anep.parameter.text", "Parameter", base.UNICODE),
    reach = ProtoField.none("anep.reach", "The payload tells about destinations"),
    state_label = ProtoField.string("anep.state.service", "Service", base.UNICODE),
    state_octets = ProtoField.bytes("anep.state.octets", "What it knows"),
    payload = ProtoField.bytes("anep.payload", "Payload"),
    joined = ProtoField.bytes("anep.joined", "Joined packet"),
    dyram_kind = ProtoField.uint8("anep.dyram.kind", "DyRAM message", base.DEC, messages),
    dyram_started = ProtoField.bool("anep.dyram.started", "Started", 8, nil, 0x01),
    dyram_to_group = ProtoField.bool("anep.dyram.to_group", "Sent to the group", 8, nil, 0x02),
    dyram_chooses = ProtoField.bool("anep.dyram.chooses", "Chooses services", 8, nil, 0x04),
    dyram_hops = ProtoField.uint16("anep.dyram.hops", "Hops left"),
    dyram_number = ProtoField.uint32("anep.dyram.number", "Number of the announcement"),
    dyram_packet_size = ProtoField.uint32("anep.dyram.packet_size", "Content of a packet (octets)"),
    dyram_first = ProtoField.uint64("anep.dyram.first", "First sequence number"),
    dyram_packets = ProtoField.uint64("anep.dyram.packets", "Packets"),
    dyram_rate = ProtoField.uint64("anep.dyram.rate", "Rate (bit/s)"),
    dyram_salt = ProtoField.uint64("anep.dyram.salt", "Salt", base.HEX),
    dyram_group_port = ProtoField.uint16("anep.dyram.group.port", "Port of the group"),
    dyram_group_ipv4 = ProtoField.ipv4("anep.dyram.group.ipv4", "Group"),
    dyram_group_ipv6 = ProtoField.ipv6("anep.dyram.group.ipv6", "Group"),
    dyram_at_source = ProtoField.uint8("anep.dyram.services.source", "Services of the source's node", base.HEX),
    dyram_elsewhere = ProtoField.uint8("anep.dyram.services.others", "Services of other nodes", base.HEX),
    dyram_tag = ProtoField.bytes("anep.dyram.tag", "Tag"),
}
for _, kind in ipairs({ "source", "destination" }) do
    local name = kind:sub(1, 1):upper() .. kind:sub(2)
    f[kind .. "_scheme"] = ProtoField.uint32("anep." .. kind .. ".scheme", name .. " scheme", base.DEC, schemes)
    f[kind .. "_ipv4"] = ProtoField.ipv4("anep." .. kind .. ".ipv4", name)
    f[kind .. "_ipv6"] = ProtoField.ipv6("anep." .. kind .. ".ipv6", name)
    f[kind .. "_ether"] = ProtoField.ether("anep." .. kind .. ".ether", name)
    f[kind .. "_octets"] = ProtoField.bytes("anep." .. kind .. ".octets", name)
end
anep.fields = f

local malformed = {
    [101] = "bad version", [102] = "header too short", [103] = "header past packet", [104] = "bad option length", [105] = "truncated", [106] = "bad checksum",
    [107] = "unknown option", [108] = "bad option value",
}
local experts = { reported = ProtoExpert.new("anep.reported", "A node reports an error", expert.group.RESPONSE_CODE, expert.severity.WARN) }
for code, name in pairs(malformed) do
    experts[code] = ProtoExpert.new("anep.ee" .. code, "EE-" .. code .. " " .. name, expert.group.MALFORMED, expert.severity.ERROR)
end
anep.experts = experts

anep.prefs.tcp = Pref.range("TCP ports", "3322-3323", "Ports of nodes and of receivers", 65535)
anep.prefs.udp = Pref.range("UDP ports", "3322", "Ports of nodes and of receivers", 65535)

-- The code of what is wrong with the eight octets of a header, or nil.
local function wrong_header(tvb, at, available)
    if tvb(at, 1):uint() ~= 1 then
        return 101
    elseif available < HEADER then
        return nil
    elseif tvb(at + 4, 2):uint() < 2 then
        return 102
    elseif tvb(at + 4, 2):uint() * WORD > tvb(at + 6, 2):uint() then
        return 103
    end
end

-- RFC 3629, without what is too long or a surrogate.
local function is_utf8(text)
    local least = { 0x80, 0x800, 0x10000 }
    local at = 1
    while at <= #text do
        local first = text:byte(at)
        local more = first < 0x80 and 0 or first >= 0xC2 and first < 0xE0 and 1 or first >= 0xE0 and first < 0xF0 and 2 or first >= 0xF0 and first < 0xF5 and 3
        if not more then
            return false
        end
        local number = more == 0 and first or first % 2 ^ (6 - more)
        for i = 1, more do
            local octet = text:byte(at + i)
            if not octet or octet < 0x80 or octet > 0xBF then
                return false
            end
            number = number * 64 + octet % 64
        end
        if more > 0 and number < least[more] or number > 0x10FFFF or number >= 0xD800 and number < 0xE000 then
            return false
        end
        at = at + more + 1
    end
    return true
end

-- RFC 1071: 0 over a packet that holds its own right checksum.
local function checksum(tvb)
    local text = tvb:raw(0, tvb:len())
    local sum = 0
    for at = 1, #text, 2 do
        sum = sum + text:byte(at) * 256 + (text:byte(at + 1) or 0)
    end
    while sum > 0xFFFF do
        sum = sum % 0x10000 + math.floor(sum / 0x10000)
    end
    return 0xFFFF - sum
end

-- How each option is read: adds what is in the value to the tree; false for a value that it cannot have.
local function address(kind)
    return function(value, tree)
        if value:len() < 4 then
            return false
        end
        local scheme, size = value(0, 4):uint(), value:len() - 4
        tree:add(f[kind .. "_scheme"], value(0, 4))
        if scheme >= 1 and scheme <= 3 then
            local length = ({ 4, 16, 6 })[scheme]
            if size ~= math.ceil(length / WORD) * WORD then
                return false
            end
            tree:add(f[kind .. ({ "_ipv4", "_ipv6", "_ether" })[scheme]], value(4, length))
        elseif size > 0 then
            tree:add(f[kind .. "_octets"], value(4))
        end
        return true
    end
end

-- An option of one size: each field with where it stands in the value.
local function fixed(size, ...)
    local fields = { ... }
    return function(value, tree)
        if value:len() ~= size then
            return false
        end
        for _, field in ipairs(fields) do
            tree:add(f[field[1]], value(field[2], field[3]))
        end
        return true
    end
end

-- The same, with an octet that has to be one of these.
local function coded(at, names, reader)
    return function(value, tree)
        return value:len() > at and names[value(at, 1):uint()] ~= nil and reader(value, tree)
    end
end

local function chain(value, tree)
    local count = math.floor(value:len() / 2)
    while count > 0 and value(2 * (count - 1), 2):uint() == 0 do
        count = count - 1
    end
    if count == 0 or count > MAX_CHAIN or value:len() > 2 * (MAX_CHAIN + 1) then
        return false
    end
    for i = 0, count - 1 do
        if value(2 * i, 2):uint() == 0 then
            return false
        end
        tree:add(f.chain, value(2 * i, 2))
    end
    return true
end

local function error_report(value, tree)
    local length = value:len() >= 4 and value(2, 2):uint() or MAX_TEXT + 1
    local padding = value:len() - 4 - length
    if length > MAX_TEXT or padding < 0 or padding >= WORD then
        return false
    end
    local text = length > 0 and value(4, length):raw() or ""
    if not is_utf8(text) then
        return false
    end
    local code = string.format("EE-%03d", value(0, 2):uint())
    tree:add(f.error_code, value(0, 2)):append_text(" (" .. code .. ")")
    if length > 0 then
        tree:add_packet_field(f.error_text, value(4, length), ENC_UTF_8)
    end
    tree:add_proto_expert_info(experts.reported, code .. " " .. text)
    return true
end

local function connection(value, tree)
    local offers = value:len() > 0 and value(0, 1):uint() == 0
    if value:len() ~= (offers and 12 or 4) then
        return false
    end
    tree:add(f.connection_use, value(0, 1))
    if offers then
        tree:add(f.connection_node, value(4, 8))
    end
    return true
end

-- An option that says all by being there.
local function flag(name)
    return function(value, tree)
        tree:add(f[name])
        return value == nil
    end
end

local function state(value, tree)
    if value == nil then
        return true
    end
    local at, size = 0, value:len()
    if size > MAX_STATE then
        return false
    end
    while at < size do
        local label, octets = value(at, 2):uint(), value(at + 2, 2):uint()
        local middle = at + 4 + label
        local from = at + 4
        at = at + 4 + math.ceil((label + octets) / WORD) * WORD
        if at > size or label > 0 and not is_utf8(value(from, label):raw()) then
            return false
        end
        if label > 0 then
            tree:add_packet_field(f.state_label, value(from, label), ENC_UTF_8)
        end
        if octets > 0 then
            tree:add(f.state_octets, value(middle, octets))
        end
    end
    return true
end

-- An id of 0 is no trace, and no error either.
local function trace(value, tree)
    if value == nil or value:len() ~= 28 or value(0, 1):uint() == 0xFF then
        return false
    end
    return fixed(28, { "trace_version", 0, 1 }, { "trace_id", 1, 16 }, { "trace_parent", 17, 8 }, { "trace_flags", 25, 1 }, { "trace_sampled", 25, 1 })(value, tree)
end

-- NAME=VALUE for a service each.
local function parameters(value, tree)
    if value == nil or value:len() > MAX_PARAMETERS then
        return false
    end
    local at, size = 0, value:len()
    while at < size do
        local service, length = value(at, 2), value(at + 2, 2):uint()
        local from = at + 4
        at = from + math.ceil(length / WORD) * WORD
        if at > size or length == 0 or service:uint() == 0 then
            return false
        end
        local text = value(from, length):raw()
        local name, said = text:match("^([a-z][a-z0-9-]*)=(.*)$")
        -- Control characters of Latin 1 have two octets in UTF-8: C2 and 80 to 9F.
        if not is_utf8(text) or name == nil or #name > 64 or said:find("%c") or said:find("\194[\128-\159]") then
            return false
        end
        tree:add(f.parameter_service, service)
        tree:add_packet_field(f.parameter_text, value(from, length), ENC_UTF_8)
    end
    return true
end

-- By the first 16 bits, less the one that asks for a discard: it plays no part for an option that is known.
local options = {
    [0x0001] = { "Source", address("source") },
    [0x0002] = { "Destination", address("destination") },
    [0x0003] = { "Integrity checksum", fixed(4, { "checksum", 0, 2 }) },
    [0x0004] = { "Authentication", function(value, tree)
        if value:len() < 4 then
            return false
        end
        tree:add(f.authentication_scheme, value(0, 4))
        if value:len() > 4 then
            tree:add(f.authentication_octets, value(4))
        end
        return true
    end },
    [0x8001] = { "Stream", fixed(16, { "stream_id", 0, 8 }, { "stream_sequence", 8, 8 }) },
    [0x8002] = { "Delivery", coded(2, forms, function(value, tree)
        return value(0, 2):uint() > 0 and fixed(4, { "delivery_port", 0, 2 }, { "delivery_form", 2, 1 })(value, tree)
    end) },
    [0x8003] = { "Chain", chain },
    [0x8004] = { "Previous node", fixed(12, { "previous_id", 0, 8 }, { "previous_port", 8, 2 }) },
    [0x8005] = { "Hops", fixed(4, { "hops", 0, 1 }, { "handed_over", 1, 1 }) },
    [0x8006] = { "QoS session", fixed(8, { "qos_session", 0, 8 }) },
    [0x8007] = { "Timestamp", fixed(8, { "timestamp", 0, 8 }) },
    [0x8008] = { "Content encoding", coded(0, encodings, fixed(4, { "encoding", 0, 1 }, { "encoding_original", 2, 2 })) },
    [0x8009] = { "Error", error_report },
    [0x800A] = { "Connection", coded(0, uses, connection) },
    [0x800B] = { "Cookie", fixed(8, { "cookie", 0, 8 }) },
    [0x800C] = { "Hop check", coded(0, answers, fixed(12, { "hop_check_says", 0, 1 }, { "hop_check_number", 4, 8 })) },
    [0x800D] = { "Resume", fixed(44, { "resume_session", 0, 8 }, { "resume_token", 8, 16 }, { "resume_epoch", 24, 4 }, { "resume_fresh", 28, 1 },
        { "resume_received", 32, 8 }, { "resume_crc", 40, 4 }) },
    [0x800E] = { "Mark", coded(0, kinds, fixed(24, { "mark_kind", 0, 1 }, { "mark_last", 1, 1 }, { "mark_kept_last", 1, 1 }, { "mark_done", 1, 1 }, { "mark_code", 2, 2 },
        { "mark_octets", 4, 8 }, { "mark_crc", 12, 4 }, { "mark_kept", 16, 8 })) },
    [0x800F] = { "Reach", flag("reach") },
    [0x8010] = { "State", state },
    [0x8011] = { "Connected", flag("connected") },
    [0x8012] = { "Trace", trace },
    [0x8013] = { "Parameters", parameters },
}
-- A packet that begins a session has no mark of it.
local excludes = { [0x800D] = 0x800E, [0x800E] = 0x800D }

local function service_names(bits)
    local names = {}
    for bit = 0, 7 do
        if math.floor(bits / 2 ^ bit) % 2 == 1 then
            names[#names + 1] = services[bit + 1] or "service-" .. bit
        end
    end
    return bits == 0xFF and "all" or #names == 0 and "none" or table.concat(names, ", ")
end

-- Message 1 of docs/dyram.md, as far as it is one: nodes count what is not.
local function announce(value, tree)
    local size = value:len() >= 48 and value(44, 1):uint() or 0
    local chooses = math.floor(value(1, 1):uint() / 4) % 2 == 1
    local after = 48 + size
    if size ~= 4 and size ~= 16 or value:len() ~= after + (chooses and 2 or 0) + 16 then
        return
    end
    for _, field in ipairs({ { "started", 1, 1 }, { "to_group", 1, 1 }, { "chooses", 1, 1 }, { "hops", 2, 2 }, { "number", 4, 4 }, { "packet_size", 8, 4 },
        { "first", 12, 8 }, { "packets", 20, 8 }, { "rate", 28, 8 }, { "salt", 36, 8 }, { "group_port", 46, 2 }, { size == 4 and "group_ipv4" or "group_ipv6", 48, size } }) do
        tree:add(f["dyram_" .. field[1]], value(field[2], field[3]))
    end
    if chooses then
        tree:add(f.dyram_at_source, value(after, 1)):append_text(" (" .. service_names(value(after, 1):uint()) .. ")")
        tree:add(f.dyram_elsewhere, value(after + 1, 1)):append_text(" (" .. service_names(value(after + 1, 1):uint()) .. ")")
    end
    tree:add(f.dyram_tag, value(value:len() - 16, 16))
end

local function dyram(value, tree)
    if value:len() < 4 or not messages[value(0, 1):uint()] then
        return ""
    end
    local branch = tree:add(f.dyram_kind, value(0, 1))
    if value(0, 1):uint() == 1 then
        announce(value, branch)
    end
    return " [" .. messages[value(0, 1):uint()] .. "]"
end

local function complain(item, code, text)
    item:add_proto_expert_info(experts[code], string.format("EE-%d %s", code, text or malformed[code]))
    return code
end

-- Returns the code of what is wrong with the option at `at`, or nil; and where the next one begins.
local function option(packet, at, stop, tree, seen)
    local tag, size = packet(at, 2):uint(), packet(at + 2, 2):uint() * WORD
    if size == 0 or at + size > stop then
        return complain(tree:add(f.option_length, packet(at + 2, 2)), 104)
    end
    local key = tag % 0x10000
    if math.floor(tag / 0x4000) % 2 == 1 then
        key = tag - 0x4000
    end
    local known = options[key]
    local branch = tree:add(f.option, packet(at, size), tag)
    branch:set_text(string.format("Option: %s (%s %d)", known and known[1] or "not known", tag >= 0x8000 and "private" or "public", tag % 0x4000))
    branch:add(f.option_private, packet(at, 2))
    branch:add(f.option_discard, packet(at, 2))
    branch:add(f.option_type, packet(at, 2))
    branch:add(f.option_length, packet(at + 2, 2))
    -- A range has at least an octet.
    local value = size > WORD and packet(at + WORD, size - WORD) or nil
    if not known then
        if value then
            branch:add(f.option_value, value)
        end
        if key ~= tag then
            return complain(branch, 107)
        end
    elseif seen[key] or seen[excludes[key] or key] then
        return complain(branch, 108, "the option stands twice, or beside one that excludes it")
    elseif value == nil and key < 0x800F or not known[2](value, branch) then
        return complain(branch, 108)
    end
    seen[key] = value or true
    return nil, at + size
end

local function info(pinfo, packet, payload, what)
    local type_id = packet(2, 2):uint()
    pinfo.cols.info:append(string.format("%s%s%s, %d octets%s", tostring(pinfo.cols.info) == "" and "" or "; ", types[type_id] or "service",
        types[type_id] and "" or string.format(" 0x%04x", type_id), payload, what))
end

-- The packets in a joined one, as far as they are packets.
local function joined(packet, at, stop, tree)
    while at < stop and not wrong_header(packet, at, stop - at) and stop - at >= HEADER do
        local length = packet(at + 6, 2):uint()
        if length > stop - at then
            return
        end
        tree:add(f.joined, packet(at, length))
        at = at + length
    end
end

-- A whole packet whose header is good. Returns the code of what is wrong with it, or nil.
local function dissect(packet, pinfo, root)
    local tree = root:add(anep, packet())
    tree:add(f.version, packet(0, 1))
    tree:add(f.flags, packet(1, 1)):add(f.flags_discard, packet(1, 1))
    tree:add(f.type_id, packet(2, 2))
    tree:add(f.header_length, packet(4, 2))
    tree:add(f.packet_length, packet(6, 2))
    local header, length = packet(4, 2):uint() * WORD, packet(6, 2):uint()
    local seen, at, code = {}, HEADER, nil
    while at and at < header do
        code, at = option(packet, at, header, tree, seen)
    end
    if not code and seen[0x0003] and checksum(packet) ~= 0 then
        code = complain(tree, 106)
    end
    local said = ""
    if length > header and packet:len() > header then
        tree:add(f.payload, packet(header))
        if packet(2, 2):uint() == TYPE_DYRAM and not code then
            said = dyram(packet(header), tree)
        end
        if seen[0x8008] and seen[0x8008](0, 1):uint() == JOINED then
            joined(packet, header, length, tree)
        end
    end
    local what = code and string.format(" [EE-%d]", code) or seen[0x8009] and string.format(" [EE-%03d]", seen[0x8009](0, 2):uint()) or said
    tree:append_text(string.format(", Type ID 0x%04x, %d octets%s", packet(2, 2):uint(), length - header, what))
    info(pinfo, packet, length - header, what)
    return code
end

local function no_packet(range, pinfo, root, code)
    complain(root:add(anep, range), code)
    pinfo.cols.info:append(string.format("[EE-%d %s]", code, malformed[code]))
end

-- Datagrams are one packet each.
local function udp(tvb, pinfo, root)
    local length = tvb:reported_len()
    local code = length < HEADER and 105 or wrong_header(tvb, 0, length)
    if not code and tvb(6, 2):uint() ~= length then
        code = 105
    end
    if code then
        no_packet(tvb(), pinfo, root, code)
    elseif tvb:len() == length then
        dissect(tvb(0, length):tvb(), pinfo, root)
    end
end

-- A connection is packets one behind the other, cut at any octet.
local function tcp(tvb, pinfo, root)
    local at, stop = 0, tvb:len()
    while at < stop do
        local code = wrong_header(tvb, at, stop - at)
        if code then
            no_packet(tvb(at), pinfo, root, code)
            return
        end
        local length = stop - at >= HEADER and tvb(at + 6, 2):uint() or nil
        if length == nil or length > stop - at then
            -- What the capture has cut off cannot be waited for.
            if pinfo.can_desegment > 0 and tvb:reported_len() == stop then
                pinfo.desegment_offset = at
                pinfo.desegment_len = length and length - (stop - at) or DESEGMENT_ONE_MORE_SEGMENT
            end
            return
        end
        if dissect(tvb(at, length):tvb(), pinfo, root) then
            -- Where the next one begins cannot be trusted.
            return
        end
        at = at + length
    end
end

function anep.dissector(tvb, pinfo, root)
    if tvb:len() == 0 then
        return
    end
    local first = tvb(0, 1):uint()
    if pinfo.port_type == 2 and first >= 20 and first <= 23 and tvb:len() > 1 and tvb(1, 1):uint() == 3 then
        -- Nodes take TLS on the same port; its records begin so.
        Dissector.get("tls"):call(tvb, pinfo, root)
        return
    end
    pinfo.cols.protocol = "ANEP"
    pinfo.cols.info = ""
    if pinfo.port_type == 3 then
        udp(tvb, pinfo, root)
    else
        tcp(tvb, pinfo, root)
    end
end

local ports = {}

local function listen()
    for _, table in ipairs({ "tcp", "udp" }) do
        local wanted = tostring(anep.prefs[table])
        if ports[table] ~= wanted then
            local dissectors = DissectorTable.get(table .. ".port")
            if ports[table] and ports[table] ~= "" then
                dissectors:remove(ports[table], anep)
            end
            if wanted ~= "" then
                dissectors:add(wanted, anep)
            end
            ports[table] = wanted
        end
    end
end

anep.prefs_changed = listen
listen()
