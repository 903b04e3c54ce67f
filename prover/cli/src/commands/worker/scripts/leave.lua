-- Forgets a consumer that has no entries; with one its entries would be forgotten too.
--
-- KEYS: stream
-- ARGV: group, consumer
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
end
