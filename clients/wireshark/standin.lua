-- SPDX-License-Identifier: Apache-2.0
-- As much of Wireshark's API as anep.lua uses, for any Lua: reads lines `tcp HEX` or `udp HEX`, and prints what the dissector shows of each.
-- It cannot show how Wireshark itself behaves: tshark does that. Run by test_lua.py: lua5.4 standin.lua

local shown

local function named(_, abbreviation)
    return abbreviation
end

ProtoField = setmetatable({}, { __index = function() return function(abbreviation) return abbreviation end end })
ProtoExpert = { new = function(abbreviation) return abbreviation end }
base = setmetatable({}, { __index = named })
expert = { group = base, severity = base }
Pref = { range = function(_, ports) return ports end }
DissectorTable = { get = function() return { add = function() end, remove = function() end } end }
Dissector = { get = function() return { call = function() shown[#shown + 1] = "tls" end } end }
ENC_UTF_8, DESEGMENT_ONE_MORE_SEGMENT = "utf-8", -1
Proto = setmetatable({}, { __call = function()
    anep = { prefs = {} }
    return anep
end })

-- Octets as they were captured: a Tvb, or a range of one, which has at least an octet.
local function octets(text)
    local range = {}
    local function part(from, length)
        length = length or #text - from
        assert(from >= 0 and length >= 1 and from + length <= #text, "a range that the packet does not have")
        -- Wireshark takes whole numbers alone.
        assert(from % 1 == 0 and length % 1 == 0)
        return octets(text:sub(from + 1, from + length))
    end
    function range.len()
        return #text
    end
    range.reported_len = range.len
    function range.tvb()
        return range
    end
    function range.raw(_, from, length)
        return from and text:sub(from + 1, from + length) or text
    end
    function range.uint()
        assert(#text <= 4)
        local number = 0
        for i = 1, #text do
            number = number * 256 + text:byte(i)
        end
        return number
    end
    return setmetatable(range, { __call = function(_, from, length) return part(from or 0, length) end, __tostring = function()
        return (text:gsub(".", function(octet) return string.format("%02x", octet:byte()) end))
    end })
end

local tree = {}
function tree.add(_, field, range)
    shown[#shown + 1] = string.format("%s=%s", type(field) == "table" and "anep" or field, tostring(range))
    return tree
end
tree.add_packet_field = tree.add
function tree.add_proto_expert_info(_, which, text)
    shown[#shown + 1] = which .. " (" .. text .. ")"
end
function tree.append_text(_, text)
    shown[#shown + 1] = text
end
tree.set_text = tree.append_text

local info = setmetatable({ text = "" }, { __tostring = function(self) return self.text end })
function info.append(self, text)
    self.text = self.text .. text
end

dofile((arg[0]:gsub("[^/]*$", "")) .. "anep.lua")
for line in io.lines() do
    local kind, hex = line:match("^(%a+) (%x*)$")
    shown, info.text = {}, ""
    local columns = setmetatable({ info = info }, { __newindex = function() end })
    local pinfo = { cols = setmetatable({}, { __index = columns, __newindex = function() end }), port_type = kind == "udp" and 3 or 2, can_desegment = 1 }
    anep.dissector(octets((hex:gsub("%x%x", function(octet) return string.char(tonumber(octet, 16)) end))), pinfo, tree)
    if pinfo.desegment_len then
        shown[#shown + 1] = string.format("waits at %d for %d", pinfo.desegment_offset, pinfo.desegment_len)
    end
    print(table.concat(shown, " | ") .. " | " .. info.text)
end
