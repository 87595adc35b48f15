import type { Context } from '../../../context.ts';
import { topicName } from '../../../contract/event.ts';
import { hubTopic } from '../../../contract/social/events.ts';
import { drop } from '../../../realtime/publish.ts';
import { countDeed } from './trend.ts';

/**
 * Everything that goes with a change of who is in a hub, in its transaction: this is the one place that a further part of the social
 * network, such as the keys of encrypted hubs, has to know.
 */
export interface MembershipChange {
  readonly hubId: string;
  readonly joined?: readonly string[];
  readonly left?: readonly string[];
}

export async function membershipChanged(
  tx: Context,
  { hubId, joined = [], left = [] }: MembershipChange,
): Promise<void> {
  if (left.length > 0) await drop(tx, topicOfHub(hubId), left);
  if (joined.length > 0) await countDeed(tx, hubId);
}

/** The hub is gone for everybody. */
export async function hubEnded(tx: Context, hubId: string): Promise<void> {
  await drop(tx, topicOfHub(hubId), 'everybody');
}

export function topicOfHub(hubId: string): string {
  return topicName(hubTopic, hubId);
}
