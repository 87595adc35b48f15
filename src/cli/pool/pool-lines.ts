import { escapeForTerminal, escapedJson } from '../kit/escape-for-terminal.ts';
import { shortId } from './pool-details.ts';
import type { QueueEvent } from './pool-watch.ts';
import { moment, type Screen } from '../kit/screen.ts';

/** One line for a change in the queue: for people, or a JSON object. */
export function queueLine(screen: Screen, event: QueueEvent, json: boolean): string {
  if (json) return escapedJson(event).replaceAll(/\n\s*/g, ' ');
  if (event.event === 'gone') return `${shortId(screen, event.nodeId)}  is not waiting any more`;
  const { nodeId, fingerprint, receivedAt, message } = event.node;
  const words = fingerprint.words.slice(0, 4).join(' ');
  return [shortId(screen, nodeId), words, moment(screen, receivedAt), message]
    .map(escapeForTerminal)
    .join('  ')
    .trimEnd();
}
