import { openDatabase } from '../../../src/platform/store/open.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { TestListener } from '../../platform/realtime/hearing.ts';
import { openHeard } from '../social/heard-scene.ts';

/** What a node keeps when its process ends. */
export interface ReplayPlace {
  readonly dataDir: string;
  /** of PostgreSQL; undefined for the embedded store in the folder */
  readonly url: string | undefined;
  readonly secret: Uint8Array;
}

async function open({ dataDir, url, secret }: ReplayPlace) {
  const store = await openDatabase({ dataDir, url });
  const heard = await openHeard(async ({ context }) => {
    // The embedded store is the house's own, and unused.
    const house = await openHouse('sqljs', { secret, context: { ...context, store, db: store.db } });
    return { house, [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose]() };
  });
  const following = await heard.sockets.followOthers();
  return {
    house: heard.scene.house,
    topics: heard.sockets.topics,
    async [Symbol.asyncDispose]() {
      await following[Symbol.asyncDispose]();
      await heard[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

type Running = Awaited<ReturnType<typeof open>>;

/** A node that can be started anew on its store: what it does then comes to its end, and what is asked of it meanwhile waits. */
export class ReplayProcess implements AsyncDisposable {
  readonly #place: ReplayPlace;
  #running: Running;
  #restarting: Promise<void> | undefined;
  readonly #doing = new Set<Promise<unknown>>();
  readonly #listeners = new Set<TestListener>();

  private constructor(place: ReplayPlace, running: Running) {
    this.#place = place;
    this.#running = running;
  }

  static async start(place: ReplayPlace): Promise<ReplayProcess> {
    return new ReplayProcess(place, await open(place));
  }

  async ask<T>(body: (house: House) => Promise<T>): Promise<T> {
    return await this.#do(async ({ house }) => await body(house));
  }

  /** Hears a topic. @returns its position; undefined if the listener was cut off meanwhile */
  async subscribe(listener: TestListener, topic: string, after: number | undefined): Promise<number | undefined> {
    return await this.#do(async ({ topics }) => {
      if (!listener.open) return undefined;
      this.#listeners.add(listener);
      const subscribed = await topics.subscribe(listener, topic, after);
      if (subscribed === undefined && listener.open) throw new Error('a reader may always hear');
      return subscribed?.position;
    });
  }

  /** Ends a connection: nothing that happens from now on reaches it. */
  cut(listener: TestListener): void {
    this.#listeners.delete(listener);
    this.#running.topics.forget(listener);
    listener.open = false;
  }

  /** Closes all and opens it again on what it left. */
  async restart(): Promise<void> {
    for (const listener of this.#listeners) this.cut(listener);
    this.#restarting = (async () => {
      await Promise.allSettled(this.#doing);
      await this.#running[Symbol.asyncDispose]();
      this.#running = await open(this.#place);
    })();
    await this.#restarting;
    this.#restarting = undefined;
  }

  async #do<T>(body: (running: Running) => Promise<T>): Promise<T> {
    while (this.#restarting !== undefined) await this.#restarting;
    const doing = body(this.#running);
    this.#doing.add(doing);
    try {
      return await doing;
    } finally {
      this.#doing.delete(doing);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
  }
}
