import type { RequestListener } from 'node:http';
import { toNodeHandler } from 'srvx/node';
import type { Log } from '../log.ts';
import type { App } from '../http/app.ts';

/** An app as Node's servers call it. Whatever goes wrong below the app's own handling is a bare 500 and a line in the log. */
export function nodeListener(fetch: App['fetch'], log: Log): RequestListener {
  const failed = (error: unknown): Response => {
    log.error('a request was not handled', { error });
    return new Response(null, { status: 500 });
  };
  // Its type is that of HTTP/2 servers as well, which there are none of here.
  const handle = toNodeHandler((request) => {
    try {
      const response = fetch(request);
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  }) as RequestListener;
  return handle;
}
