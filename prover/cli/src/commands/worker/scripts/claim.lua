-- Takes over an entry whose consumer has not been heard of for a while. The delivery is counted before anything is sent.
--
-- KEYS: stream
-- ARGV: group, consumer, milliseconds, most bytes of a job
local group, consumer, age, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
while true do
    local old = redis.pcall('XPENDING', KEYS[1], group, 'IDLE', age, '-', '+', 1)
    if old.err then
        return old
    end
    if #old == 0 then
        return {}
    end
    local id, deliveries = old[1][1], old[1][4] + 1
    local found = redis.call('XRANGE', KEYS[1], id, id)[1]
    if found then
        redis.call('XCLAIM', KEYS[1], group, consumer, age, id, 'RETRYCOUNT', deliveries, 'JUSTID')
        return { told(found, deliveries, most) }
    end
    -- The entry is no more.
    redis.call('XACK', KEYS[1], group, id)
end
