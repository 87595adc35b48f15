import type { ApiAnswer, House, HouseOptions } from '../../support/house.ts';
import { openHouse } from '../../support/house.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

const DOMAIN = 'home.example';

/** A member with a mailbox. */
export interface Correspondent extends HouseMember {
  readonly mailbox: { readonly localPart: string; readonly domain: string };
  readonly address: string;
}

export interface MailScene extends AsyncDisposable {
  readonly house: House;
  join(username: string): Promise<Correspondent>;
  /** asks as a member; the answer has to have this status */
  ask(
    who: Correspondent | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    status?: number,
  ): Promise<ApiAnswer>;
  /** sends a message, and answers its data */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  send(from: Correspondent, to: readonly Correspondent[], more?: Record<string, unknown>): Promise<any>;
}

/** A node with members who write to each other. */
export async function openMail(engine: EngineName, options: HouseOptions = {}): Promise<MailScene> {
  const { config } = await import('../../support/mail-config.ts');
  const house = await openHouse(engine, { ...options, config: { ...config, ...options.config } });
  const scene: MailScene = {
    house,
    async join(username) {
      const member = await house.register({ username });
      return { ...member, mailbox: { localPart: username, domain: DOMAIN }, address: `${username}@${DOMAIN}` };
    },
    async ask(who, method, path, body, status) {
      const answer = await house.api(method, `/api/emails${path}`, {
        ...(who !== undefined && { token: who.token }),
        ...(body !== undefined && { body }),
      });
      if (status !== undefined && answer.status !== status)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    async send(from, to, more = {}) {
      const body = {
        from: from.mailbox,
        to: to.map(({ mailbox }) => mailbox),
        subject: 'Hello',
        textBody: 'Hi.',
        ...more,
      };
      return (await scene.ask(from, 'POST', '', body, 201)).body.data;
    },
    [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose](),
  };
  return scene;
}
