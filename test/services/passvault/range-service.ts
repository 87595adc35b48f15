import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';

export interface RangeService extends AsyncDisposable {
  readonly url: string;
  /** path and header Add-Padding of each request */
  readonly asked: readonly { readonly path: string; readonly padding: string | undefined }[];
  /** answers otherwise from now on */
  answer(with_: (prefix: string) => { status: number; body: string; location?: string } | 'never'): void;
}

/** A stand-in of the range service for breached passwords, with padding as the real one has. */
export async function rangeService(breached: Readonly<Record<string, number>>): Promise<RangeService> {
  const asked: { path: string; padding: string | undefined }[] = [];
  const hashes = Object.entries(breached).map(
    ([password, count]) => [createHash('sha1').update(password).digest('hex').toUpperCase(), count] as const,
  );
  let answer: Parameters<RangeService['answer']>[0] = (prefix) => ({
    status: 200,
    body: [
      ...hashes.filter(([hash]) => hash.startsWith(prefix)).map(([hash, count]) => `${hash.slice(5)}:${count}`),
      `${'0'.repeat(34)}1:0`,
      `${'F'.repeat(35)}:0`,
    ].join('\r\n'),
  });
  const server: Server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', padding: request.headers['add-padding'] as string | undefined });
    const said = answer((request.url ?? '').slice('/range/'.length));
    if (said === 'never') return;
    response.writeHead(said.status, said.location === undefined ? {} : { location: said.location }).end(said.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (with_) => void (answer = with_),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
