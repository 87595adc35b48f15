import type { RequestListener } from 'node:http';
import { FastResponse } from 'srvx';
import { toNodeHandler } from 'srvx/node';
import type { Context } from '../../service/context.ts';
import { createApp, type AddPage, type App, type AppOptions } from '../../http/app.ts';
import type { HeaderFields } from '../../http/respond.ts';
import type { Log } from '../../base/log.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';

/** What an app shows beside operations. */
interface Shows {
  readonly health: Health;
  /** undefined: no metrics for this app's clients */
  readonly metrics: Metrics | undefined;
}

/** The app behind one entrance of the server, with the pages of health and metrics. */
export function appListener(
  ctx: Context,
  options: Omit<AppOptions, 'extend' | 'checkReplies'>,
  { health, metrics }: Shows,
): RequestListener {
  const app = createApp(ctx, {
    ...options,
    extend(add) {
      addHealth(add, health);
      if (metrics !== undefined) addMetrics(add, metrics);
    },
  });
  return nodeListener((request) => app.fetch(request), ctx.log);
}

/** `/health/live`: the process answers. `/health/ready` and `/health`: it can do its work. */
function addHealth(add: AddPage, health: Health): void {
  const reply = (ok: boolean, headers: HeaderFields) =>
    new FastResponse(ok ? '{"status":"ok"}' : '{"status":"unavailable"}', {
      status: ok ? 200 : 503,
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    });
  const ready = async (headers: HeaderFields) => reply(await health.ready(), headers);
  add('/health/live', (headers) => reply(true, headers));
  add('/health/ready', ready);
  add('/health', ready);
}

/** `/metrics`, in the text format of Prometheus. */
function addMetrics(add: AddPage, metrics: Metrics): void {
  add('/metrics', async (headers) => {
    const { contentType, text } = await metrics.render();
    return new FastResponse(text, { headers: { ...headers, 'content-type': contentType } });
  });
}

/** An app as a listener for Node's servers. An error outside of the app's own handling becomes a bare 500 and a line in the log. */
export function nodeListener(fetch: App['fetch'], log: Log): RequestListener {
  const failed = (error: unknown): Response => {
    log.error('handling a request failed', { error });
    return new Response(null, { status: 500 });
  };
  // The type also covers HTTP/2 servers, which are not used here.
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
