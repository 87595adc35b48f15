// @ts-expect-error -- the package has no types of its own, and those of others for it would be in each other's way
import { WebSocket as UntypedWebSocket } from 'ws';

/** libp2p takes for granted what Node has from version 22 on. Called before libp2p does anything. */
export function provideNewerGlobals(): void {
  provide(Promise, 'withResolvers', withResolvers);
  provide(globalThis, 'WebSocket', QuietWebSocket);
}

interface NodeWebSocket {
  on(event: 'error', listener: (error: Error) => void): this;
}

const NodeWebSocket = UntypedWebSocket as unknown as new (
  address: string | URL,
  protocols?: string | string[],
) => NodeWebSocket;

/**
 * What libp2p's WebSocket transport listens with; it is told to connect with it as well. As in browsers, an error that nobody listens
 * for is none: as an event of Node it would end the process, whenever a node can't be reached.
 */
class QuietWebSocket extends NodeWebSocket {
  constructor(...args: ConstructorParameters<typeof NodeWebSocket>) {
    super(...args);
    this.on('error', () => undefined);
  }
}

function provide(where: object, name: string, value: unknown): void {
  if (name in where) return;
  Object.defineProperty(where, name, { value, writable: true, configurable: true });
}

function withResolvers<T>(this: PromiseConstructor): {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (reason?: unknown) => void;
} {
  let resolve: (value: T | PromiseLike<T>) => void = () => undefined;
  let reject: (reason?: unknown) => void = () => undefined;
  const promise = new this<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
