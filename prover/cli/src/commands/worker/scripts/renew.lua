-- Makes entries young that are this consumer's still, and counts no delivery.
--
-- KEYS: stream
-- ARGV: group, consumer, entries
local group, consumer = ARGV[1], ARGV[2]
for i = 3, #ARGV do
    if #redis.call('XPENDING', KEYS[1], group, ARGV[i], ARGV[i], 1, consumer) == 1 then
        redis.call('XCLAIM', KEYS[1], group, consumer, 0, ARGV[i], 'JUSTID')
    end
end
