import { attachment } from './download-name.ts';
import { failedOf } from './failure.ts';
import type { Octets } from './octets.ts';
import { beginTransfer, type Told, type Wanted } from './transfer.ts';
import { jobPath, type WorkerScope } from './worker-scope.ts';

// A page and its server see only this: the worker answers the navigation to a download with what it decrypts meanwhile, so a file of any
// size goes to the disk without being held. It keeps nothing, and answers no other request.
const scope = globalThis as unknown as WorkerScope;

interface Job {
  readonly wanted: Wanted;
  readonly stream: ReadableStream<Octets>;
  readonly port: MessagePort;
  /** settled when the stream is */
  readonly over: Promise<unknown>;
}

/** Milliseconds. A download that the browser hasn't begun by then never begins. */
const PATIENCE = 30_000;
const jobs = new Map<string, Job>();

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));

scope.addEventListener('message', (event) => {
  // Longer than the pause between two messages of the page.
  if ('stay' in event.data) event.waitUntil(new Promise((resolve) => setTimeout(resolve, 20_000)));
  const [port] = event.ports;
  if ('start' in event.data && port !== undefined) event.waitUntil(begin(event.data.start, port));
});

async function begin({ job, ...wanted }: Wanted & { readonly job: string }, port: MessagePort): Promise<void> {
  const stop = new AbortController();
  port.addEventListener('message', () => stop.abort());
  port.start();
  let end = (): void => {};
  const over = new Promise<void>((resolve) => (end = resolve));
  const tell = (told: Told): void => {
    // The page navigates when it hears that it begins, so the job has to be known.
    if (told.state === 'begun') return;
    if (told.state === 'done' || told.state === 'failed') end();
    port.postMessage(told);
  };
  try {
    const stream = await beginTransfer(wanted, { signal: stop.signal, tell });
    jobs.set(job, { wanted, stream, port, over });
    setTimeout(() => jobs.delete(job) && stop.abort(), PATIENCE);
    port.postMessage({ state: 'begun', done: 0, grant: undefined } satisfies Told);
  } catch (error) {
    tell({ state: 'failed', done: 0, grant: wanted.grant, failed: failedOf(error) });
  }
}

scope.addEventListener('fetch', (event) => {
  const before = new URL(jobPath(''), scope.registration.scope).href;
  if (!event.request.url.startsWith(before)) return;
  const id = event.request.url.slice(before.length);
  const job = jobs.get(id);
  jobs.delete(id);
  // An answer without content leaves the page where it is.
  event.respondWith(job === undefined ? new Response(null, { status: 204 }) : answerOf(job));
  if (job !== undefined) event.waitUntil(job.over);
});

function answerOf({ wanted, stream, port }: Job): Response {
  port.postMessage({ state: 'taken', done: 0, grant: undefined } satisfies Told);
  return new Response(stream, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(wanted.size),
      'content-disposition': attachment(wanted.name),
      // Whatever a browser makes of the file, it is no part of this site.
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  });
}
