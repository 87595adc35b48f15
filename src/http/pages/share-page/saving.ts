import { LinkFailure, failedOf } from './failure.ts';
import type { Octets } from './octets.ts';
import { beginTransfer, type Told, type Wanted } from './transfer.ts';
import { jobPath, type ToWorker } from './worker-scope.ts';

/** One way to bring a file to the disk. */
export interface Saver {
  /** Tells until it is done or has failed. It has to be called while a click is handled, because some browsers ask the person then. */
  save(wanted: Wanted, tell: (told: Told) => void): Saving;
}

export interface Saving {
  cancel(): void;
}

/** Bytes. Without a worker and without a file to write to, all of a file is in memory. */
const LARGEST_IN_MEMORY = 100_000_000;
/** Milliseconds */
const WORKER_PATIENCE = 8_000;
const STAY_EVERY = 10_000;
/** until the first bytes are there and open, and until the browser takes them */
const FIRST_PATIENCE = 120_000;
const TAKEN_PATIENCE = 15_000;

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;

/**
 * The best way that this browser has: a worker, which streams into a download; a file that the person chooses; or memory.
 * @throws LinkFailure insecure, no-way
 */
export async function saverFor(size: number): Promise<Saver> {
  if (!globalThis.isSecureContext) throw new LinkFailure('insecure');
  const registration = await worker();
  if (registration !== undefined) return byWorker(registration);
  const picker = (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (picker !== undefined) return byPicker(picker.bind(globalThis));
  if (size <= LARGEST_IN_MEMORY) return inMemory;
  throw new LinkFailure('no-way');
}

/** @returns undefined where there are no workers, as in private windows of some browsers */
async function worker(): Promise<ServiceWorkerRegistration | undefined> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined) return undefined;
  try {
    const registration = await serviceWorker.register('worker.js', { scope: './', updateViaCache: 'none' });
    const soon = new Promise<undefined>((resolve) => {
      setTimeout(resolve, WORKER_PATIENCE, undefined);
    });
    return await Promise.race([active(registration), soon]);
  } catch {
    return undefined;
  }
}

async function active(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const coming = registration.installing ?? registration.waiting;
  if (coming === null) return registration;
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (coming.state === 'activated') resolve();
      if (coming.state === 'redundant') reject(new Error('the worker was not installed'));
    };
    coming.addEventListener('statechange', look);
    look();
  });
  return registration;
}

function byWorker(registration: ServiceWorkerRegistration): Saver {
  return {
    save(wanted, tell) {
      const job = crypto.randomUUID();
      const { port1: port, port2: others } = new MessageChannel();
      const post = (message: ToWorker, ports: MessagePort[] = []): void =>
        registration.active?.postMessage(message, ports);
      const staying = setInterval(() => post({ stay: true }), STAY_EVERY);
      let late: ReturnType<typeof setTimeout> | undefined;
      const over = (): void => {
        clearInterval(staying);
        clearTimeout(late);
        port.close();
      };
      const expect = (milliseconds: number): void => {
        clearTimeout(late);
        late = setTimeout(() => {
          port.postMessage('stop');
          over();
          tell({ state: 'failed', done: 0, grant: wanted.grant, failed: { kind: 'not-begun' } });
        }, milliseconds);
      };
      port.addEventListener('message', ({ data }: MessageEvent<Told>) => {
        // Timers of a hidden page are slowed down, and messages are not.
        post({ stay: true });
        if (data.state === 'begun') {
          expect(TAKEN_PATIENCE);
          location.assign(jobPath(job));
        }
        if (data.state === 'taken') clearTimeout(late);
        if (data.state === 'done' || data.state === 'failed') over();
        tell(data);
      });
      expect(FIRST_PATIENCE);
      port.start();
      post({ start: { ...wanted, job } }, [others]);
      return { cancel: () => port.postMessage('stop') };
    },
  };
}

/** What the other ways have in common: the page itself is the reader. */
function byPage(write: (wanted: Wanted, stream: () => Promise<ReadableStream<Octets>>) => Promise<void>): Saver {
  return {
    save(wanted, tell) {
      const stop = new AbortController();
      let last: Told = { state: 'begun', done: 0, grant: wanted.grant };
      const note = (told: Told): void => {
        last = told;
        // It is done when it has been written.
        if (told.state === 'begun') tell({ ...told, state: 'taken' });
        if (told.state === 'moving' || told.state === 'waiting') tell(told);
      };
      write(wanted, async () => await beginTransfer(wanted, { signal: stop.signal, tell: note }))
        .then(() => tell({ ...last, state: 'done' }))
        .catch((error: unknown) => {
          const kind = error instanceof DOMException && error.name === 'AbortError' ? 'cancelled' : 'disk';
          const failed = last.failed ?? (error instanceof LinkFailure ? failedOf(error) : { kind });
          stop.abort();
          tell({ ...last, state: 'failed', failed });
        });
      return { cancel: () => stop.abort() };
    },
  };
}

function byPicker(picker: Picker): Saver {
  return byPage(async (wanted, stream) => {
    const handle = await picker({ suggestedName: wanted.name });
    const file = await handle.createWritable();
    try {
      // An error of the stream aborts the file, and nothing is left under its name.
      await (await stream()).pipeTo(file);
    } catch (error) {
      await file.abort().catch(() => {});
      throw error;
    }
  });
}

const inMemory: Saver = byPage(async (wanted, stream) => {
  const blob = await new Response(await stream(), {
    headers: { 'content-type': 'application/octet-stream' },
  }).blob();
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = wanted.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
});
