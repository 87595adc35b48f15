import type { Wanted } from './transfer.ts';

/**
 * What the worker uses of its global scope. TypeScript's own types of it can't be loaded beside those of pages.
 */
export interface ExtendableEvent extends Event {
  waitUntil(until: Promise<unknown>): void;
}

export interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(answer: Response | Promise<Response>): void;
}

export interface MessageFromPage extends ExtendableEvent {
  readonly data: ToWorker;
  readonly ports: readonly MessagePort[];
}

export interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listen: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'message', listen: (event: MessageFromPage) => void): void;
  addEventListener(type: 'fetch', listen: (event: FetchEvent) => void): void;
}

/** `stay` only keeps the worker alive: a browser ends one that hears nothing for half a minute, also while a download goes on. */
export type ToWorker = { readonly start: Wanted & { readonly job: string } } | { readonly stay: true };

/** Where a download is navigated to, below the scope of the worker. A token has one part, so this is none. */
export function jobPath(job: string): string {
  return `download/${job}`;
}
