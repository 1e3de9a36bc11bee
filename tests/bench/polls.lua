-- Polls in random order from a prepared file; what they cost wrk is the same for every server.
-- Arguments: the file, and "close" where each poll has a new connection.

local requests = {}

function init(args)
   for line in io.lines(args[1]) do
      local path, token = line:match("^(%S+) (%S+)$")
      local headers = { Authorization = "Bearer " .. token, Accept = "application/json" }
      if args[2] == "close" then headers["Connection"] = "close" end
      requests[#requests + 1] = wrk.format("GET", path, headers)
   end
end

function request()
   return requests[math.random(#requests)]
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      'RESULT {"polls": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "longest": %.3f, '
         .. '"refused": %d, "broken": %d}\n',
      summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
      latency:percentile(99) / 1e3, latency.max / 1e3, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
