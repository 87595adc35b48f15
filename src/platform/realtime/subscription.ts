import { limits } from './limits.ts';
import type { Listener } from '../../service/ports/listener.ts';

/**
 * A listener's subscription to a topic. States: `asking` checks whether the listener may hear the topic. `behind` reads missed events; live
 * events are ignored and read later. `cutting-over` reads once more and keeps live events. `live` sends events directly.
 */
export class Subscription {
  state: 'asking' | 'behind' | 'cutting-over' | 'live' = 'asking';
  /** the topic's number before the permission check began: the check has seen every earlier removal of the right */
  since = -1;
  /** the last number that was sent to the listener, or that the listener doesn't need */
  sent = 0;
  #kept: { readonly seq: number; readonly text: string | undefined }[] = [];
  #keptBytes = 0;

  /**
   * Takes something that happened in the topic.
   * @param seq undefined for events that can't be replayed
   * @param text undefined if the listener is not told
   */
  take(listener: Listener, seq: number | undefined, text: string | undefined): void {
    if (seq !== undefined && seq <= this.sent) return;
    if (this.state === 'live') {
      if (seq !== undefined) this.sent = seq;
      if (text !== undefined) listener.send(text);
    } else if (this.state === 'cutting-over' && seq !== undefined) {
      this.#kept.push({ seq, text });
      this.#keptBytes += text?.length ?? 0;
      // The kept events can be dropped, because they are in the store as well.
      if (this.#keptBytes > limits.unsent) this.fallBehind();
    }
  }

  /** Returns to reading from the store. The kept events are dropped, because they are read there as well. */
  fallBehind(): void {
    this.state = 'behind';
    this.#forget();
  }

  cutOver(): void {
    this.state = 'cutting-over';
  }

  /** Called when all events of the store were sent. The events that were kept meanwhile are sent next. */
  goLive(listener: Listener): void {
    const kept = this.#kept;
    this.#forget();
    this.state = 'live';
    for (const { seq, text } of kept) this.take(listener, seq, text);
  }

  /** Continues at a number and leaves out everything before it. */
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
