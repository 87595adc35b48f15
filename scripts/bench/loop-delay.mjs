// Is loaded before a server, in its own process: says how long its event loop stood still at most. Each connection to the socket of
// BENCH_LOOP_SOCKET is answered with the milliseconds since the one before.
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const path = process.env['BENCH_LOOP_SOCKET'];
if (isMainThread && path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const server = createServer((socket) => {
    socket.end(String(delay.max / 1e6));
    delay.reset();
  });
  server.listen(path);
  server.unref();
}
