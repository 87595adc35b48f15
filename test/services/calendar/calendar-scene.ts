import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import type { Calendar } from '../../../src/contract/calendar/calendars.ts';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import type { Grantable } from '../../../src/contract/calendar/limits.ts';
import { shares } from '../../../src/contract/calendar/shares.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';

type Teller = Pick<HouseMember, 'token'>;

/** A node with three members, for their calendars. */
export interface CalendarScene extends AsyncDisposable {
  readonly house: House;
  readonly ann: HouseMember;
  readonly bob: HouseMember;
  readonly cleo: HouseMember;
  /** the reply of an operation that has to succeed */
  done<O extends JsonOperation>(operation: O, who: Teller, input: RawInputOf<O>): Promise<ReplyOf<O>>;
  /** what a refused operation answers: its status and the code of its error */
  refused<O extends JsonOperation>(operation: O, who: Teller, input: RawInputOf<O>): Promise<string>;
  /** a new calendar of a member */
  calendarOf(who: Teller, more?: Partial<RawInputOf<typeof calendars.createCalendar>>): Promise<Calendar>;
  share(who: Teller, calendarId: string, to: HouseMember, permission?: Grantable): Promise<string>;
  /** lets so much time pass, and runs what is due then */
  later(ms: number): Promise<void>;
  block(who: Teller, other: HouseMember): Promise<void>;
  /** as an administrator does */
  suspend(who: HouseMember): Promise<void>;
}

export async function openCalendars(engine: EngineName, options: HouseOptions = {}): Promise<CalendarScene> {
  const house = await openHouse(engine, options);
  const register = async (username: string) => await house.register({ username });
  const [ann, bob, cleo] = [await register('ann'), await register('bob'), await register('cleo')];
  const scene: Omit<CalendarScene, 'calendarOf' | 'share'> = {
    house,
    ann,
    bob,
    cleo,
    async done(operation, { token }, input) {
      const { status, body } = await house.perform(operation, input, token);
      if (status !== operation.status) throw new Error(`${operation.id}: ${status} ${JSON.stringify(body)}`);
      return body as ReplyOf<typeof operation>;
    },
    async refused(operation, { token }, input) {
      const { status, body } = await house.perform(operation, input, token);
      return `${status} ${body.error?.code}`;
    },
    async later(ms) {
      house.clock.advance(ms);
      await runDueJobs({ house }, 'calendar');
    },
    async block({ token }, { memberId }) {
      const { status } = await house.api('POST', `/api/social/users/${memberId}/block`, { token });
      if (status !== 200) throw new Error(`block: ${status}`);
    },
    async suspend({ memberId }) {
      await house.ctx.db.updateTable('members').set({ status: 'suspended' }).where('id', '=', memberId).execute();
    },
    [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose](),
  };
  return {
    ...scene,
    calendarOf: async (who, more = {}) =>
      (await scene.done(calendars.createCalendar, who, { displayName: 'Work', ...more })).calendar,
    share: async (who, calendarId, { memberId: grantedToUserId }, permission = 'viewer') =>
      (await scene.done(shares.shareCalendar, who, { calendarId, grantedToUserId, permission })).share.id,
  };
}
