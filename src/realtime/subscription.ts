import { limits } from './close-codes.ts';
import type { Listener } from './listener.ts';

/**
 * A listener in a topic. `asking` whether it may hear it; `behind`, reading what it missed, and what happens meanwhile is read later;
 * `cutting-over`, reading once more, while what happens is kept; `live`.
 */
export class Subscription {
  state: 'asking' | 'behind' | 'cutting-over' | 'live' = 'asking';
  /** where the topic stood before it was asked whether the listener may hear it: a right that was taken earlier has been asked for */
  since = -1;
  /** the last number that went to the listener, or that it has no need of */
  sent = 0;
  #kept: { readonly seq: number; readonly text: string }[] = [];
  #keptBytes = 0;

  /** Something happened in the topic. @param seq undefined for what can't be replayed */
  take(listener: Listener, seq: number | undefined, text: string): void {
    if (seq !== undefined && seq <= this.sent) return;
    if (this.state === 'live') {
      if (seq !== undefined) this.sent = seq;
      listener.send(text);
    } else if (this.state === 'cutting-over' && seq !== undefined) {
      this.#kept.push({ seq, text });
      this.#keptBytes += text.length;
      // It is in the store as well.
      if (this.#keptBytes > limits.unsent) this.fallBehind();
    }
  }

  /** Reads on: what was kept is read instead. */
  fallBehind(): void {
    this.state = 'behind';
    this.#forget();
  }

  cutOver(): void {
    this.state = 'cutting-over';
  }

  /** All that is in the store was sent: what happened since then follows. */
  goLive(listener: Listener): void {
    const kept = this.#kept;
    this.#forget();
    this.state = 'live';
    for (const { seq, text } of kept) this.take(listener, seq, text);
  }

  /** Goes on from a number without what is before it. */
  skipTo(seq: number): void {
    this.#forget();
    this.sent = seq;
    this.state = 'live';
  }

  #forget(): void {
    this.#kept = [];
    this.#keptBytes = 0;
  }
}
