-- Takes entries that nobody had before.
--
-- KEYS: stream
-- ARGV: group, consumer, most entries, most bytes of a job
local group, consumer, count, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local streams = redis.pcall('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, 'STREAMS', KEYS[1], '>')
if not streams then
    return {}
end
if streams.err then
    return streams
end
local taken = {}
for _, entry in ipairs(streams[1][2]) do
    table.insert(taken, told(entry, 1, most))
end
return taken
