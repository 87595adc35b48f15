import type { NewNotification } from '../../../src/service/ports/notification-rules.ts';
import { transaction } from '../../../src/service/context.ts';
import { notify } from '../../../src/shared/notifications/notify.ts';
import { withdraw, type Withdrawn } from '../../../src/shared/notifications/withdraw.ts';
import type { Method } from '../../../src/contract/operation.ts';
import type { ApiAnswer, House } from '../../support/house.ts';

const root = '/api/social/notifications';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** What a service does in its transaction. @returns whether the member is notified */
export async function notified({ ctx }: House, about: NewNotification): Promise<boolean> {
  return (await transaction(ctx, async (tx) => await notify(tx, about))) !== undefined;
}

export async function withdrawn({ ctx }: House, what: Withdrawn): Promise<void> {
  await transaction(ctx, async (tx) => await withdraw(tx, what));
}

interface Signed {
  readonly token: string;
  readonly memberId: string;
}

export async function call(house: House, who: Signed, method: Method, path = '', body?: unknown): Promise<ApiAnswer> {
  return await house.api(method, `${root}${path}`, { token: who.token, ...(body !== undefined && { body }) });
}

/** The same; answers what is inside the envelope, and throws for a failure. */
export async function ask(house: House, who: Signed, method: Method, path = '', body?: unknown): Promise<Json> {
  const answer = await call(house, who, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** What a member's notifications say, the latest first. */
export async function contents(house: House, who: Signed, query = ''): Promise<string[]> {
  const { notifications } = await ask(house, who, 'GET', query);
  return notifications.map(({ content }: { content: string }) => content);
}

/** Names and data of the events of a member's notifications, in order. */
export function heard({ happened }: House, { memberId }: Signed): [string, Json][] {
  return happened.flatMap((what) => {
    if (what.kind !== 'event' || what.topic !== `notifications:${memberId}`) return [];
    const { type, data } = JSON.parse(what.text) as { type: string; data: Json };
    return [[type, data] as [string, Json]];
  });
}

/** What a refusal said. */
export function refusal({ status, body }: ApiAnswer): [string, string] {
  return [`${status} ${body.error?.reason ?? 'success'}`, body.error?.message ?? ''];
}

/** The id of a notification, as answers have it. */
export function idOf({ _id: id }: Json): string {
  return id;
}
