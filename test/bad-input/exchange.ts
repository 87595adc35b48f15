import { connect } from 'node:net';

export interface Exchange {
  /** everything that came back, byte by byte */
  readonly text: string;
  /** status of the first answer; undefined where the connection was closed without one */
  readonly status: number | undefined;
  /** its body, where that is JSON */
  readonly body: unknown;
}

export interface ExchangeOptions {
  /** closes our side when everything is sent */
  readonly end?: boolean;
  /** sent again and again, until the other side has had enough */
  readonly forever?: string;
}

/** The connection is expected to end; one that is open for so long hangs. */
const HUNG_MS = 60_000;

/** Writes bytes to a port as they are, and reads until the other side closes. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  options: ExchangeOptions = {},
): Promise<Exchange> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const late = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`the connection is still open after ${HUNG_MS} ms: ${Buffer.concat(chunks).toString('latin1')}`),
      );
    }, HUNG_MS);
    const pour = () => {
      while (options.forever !== undefined && socket.writable && socket.write(options.forever, 'latin1'));
    };
    socket.on('connect', () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (options.end === true) socket.end();
      pour();
    });
    socket.on('drain', pour);
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset is an end like any other: what matters is what came before it.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(late);
      resolve();
    });
  });
  const text = Buffer.concat(chunks).toString('latin1');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const json = /\r\n\r\n(?:[0-9a-f]+\r\n)?(\{.*\})/s.exec(text.split('HTTP/1.1 ').slice(0, 2).join(''))?.[1];
  return {
    text,
    status: status === undefined ? undefined : Number(status),
    body: json === undefined ? undefined : JSON.parse(json),
  };
}
