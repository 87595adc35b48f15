import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Log } from '../../base/log.ts';

/** One way into the server. */
export interface Entrance {
  readonly listener: RequestListener;
  /** loads the app, unless an earlier request has; a failure is reported to the first request */
  readonly layOut: () => Promise<void>;
}

/** An app that is loaded when it is needed: it has hundreds of routes, and listening doesn't wait for them. */
export function loadedAtFirst(log: Log, load: () => Promise<RequestListener>): Entrance {
  let loaded: RequestListener | undefined;
  let loading: Promise<RequestListener> | undefined;

  async function listenerOfApp(): Promise<RequestListener> {
    try {
      loaded = await (loading ??= load());
      return loaded;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  async function first(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let listener: RequestListener;
    try {
      listener = await listenerOfApp();
    } catch (error) {
      log.error('the HTTP interface cannot be loaded; install the program again', { error });
      response.writeHead(500).end();
      return;
    }
    // A client that has gone in the meantime gets no answer.
    if (!response.destroyed) listener(request, response);
  }

  return {
    listener(request, response) {
      if (loaded === undefined) void first(request, response);
      else loaded(request, response);
    },
    layOut: async () => void (await listenerOfApp().catch(() => undefined)),
  };
}
