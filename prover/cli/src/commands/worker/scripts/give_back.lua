-- Leaves entries that were not begun to whoever asks next, as old and as often delivered as if they had not been taken.
--
-- KEYS: stream
-- ARGV: group, consumer, consumer that stands for nobody, milliseconds of age, then entry and earlier deliveries of each
local group, consumer, nobody, age = unpack(ARGV, 1, 4)
for i = 5, #ARGV, 2 do
    if #redis.call('XPENDING', KEYS[1], group, ARGV[i], ARGV[i], 1, consumer) == 1 then
        redis.call('XCLAIM', KEYS[1], group, nobody, 0, ARGV[i], 'IDLE', age, 'RETRYCOUNT', ARGV[i + 1], 'JUSTID')
    end
end
