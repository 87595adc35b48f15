// The least that can answer: an h3 handler on listhen that returns the bytes of standard input as JSON. Prints its port.
import { buffer } from 'node:stream/consumers';
import { H3, toNodeHandler } from 'h3';
import { listen } from 'listhen';

const body = await buffer(process.stdin);
const app = new H3();
app.all('/**', () => new Response(body, { headers: { 'content-type': 'application/json; charset=utf-8' } }));
const { address } = await listen(toNodeHandler(app), {
  port: { port: 0, random: true },
  hostname: '127.0.0.1',
  isProd: true,
  public: false,
  showURL: false,
  autoClose: false,
});
process.stdout.write(`${address.port}\n`);
