// @ts-expect-error -- the package has no types of its own, and those of others for it would be in each other's way
import { WebSocket as UntypedWebSocket } from 'ws';

/** Adds globals that libp2p needs and that Node has only from version 22 on. Call it before any use of libp2p. */
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
 * The WebSocket class with which libp2p's transport listens; the transport is set up to connect with it as well. As in browsers, an
 * error without a listener is ignored. As an error event of Node, it would end the process whenever a node can't be reached.
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
