import { toNodeHandler, type H3 } from 'h3';
import { listen } from 'listhen';

/** Listens with an h3 app on a free port of this machine, with nothing around it. */
export async function listenBare(app: H3): Promise<number> {
  const { address } = await listen(toNodeHandler(app), {
    port: { port: 0, random: true },
    hostname: '127.0.0.1',
    isProd: true,
    public: false,
    showURL: false,
    autoClose: false,
  });
  return address.port;
}
