import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import { books } from '../../../src/contract/contacts/books.ts';
import { cards } from '../../../src/contract/contacts/cards.ts';
import type { ListedCard, ShownCard } from '../../../src/contract/contacts/fields.ts';
import type { CardImportResult } from '../../../src/contract/contacts/files.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';

type Teller = Pick<HouseMember, 'token'>;

/** A node with three members, for their contacts. */
export interface ContactsScene extends AsyncDisposable {
  readonly house: House;
  readonly ann: HouseMember;
  readonly bob: HouseMember;
  readonly cleo: HouseMember;
  /** the default book of a member */
  book(who: Teller): Promise<string>;
  /** the reply of an operation that has to succeed */
  done<O extends JsonOperation>(operation: O, who: Teller, input: RawInputOf<O>): Promise<ReplyOf<O>>;
  /** what a refused operation answers: its status and the code of its error */
  refused<O extends JsonOperation>(operation: O, who: Teller, input: RawInputOf<O>): Promise<string>;
  add(who: Teller, bookId: string, input: Omit<RawInputOf<typeof cards.createCard>, 'bookId'>): Promise<ShownCard>;
  list(who: Teller, bookId: string, q?: string): Promise<ListedCard[]>;
  /** names in the order of the list */
  names(who: Teller, bookId: string, q?: string): Promise<string[]>;
  import(who: Teller, bookId: string, file: string | Uint8Array<ArrayBuffer>, mode?: string): Promise<CardImportResult>;
  export(who: Teller, bookId: string): Promise<string>;
  /** runs what is due */
  later(ms: number): Promise<void>;
  storedBytes(who: HouseMember): Promise<number>;
}

export async function openContacts(engine: EngineName, options: HouseOptions = {}): Promise<ContactsScene> {
  const house = await openHouse(engine, options);
  const register = async (username: string) => await house.register({ username });
  const [ann, bob, cleo] = [await register('ann'), await register('bob'), await register('cleo')];
  const done: ContactsScene['done'] = async (operation, { token }, input) => {
    const { status, body } = await house.perform(operation, input, token);
    if (status !== operation.status) throw new Error(`${operation.id}: ${status} ${JSON.stringify(body)}`);
    return body as ReplyOf<typeof operation>;
  };
  const list: ContactsScene['list'] = async (who, bookId, q) =>
    (await done(cards.listCards, who, { bookId, ...(q !== undefined && { q }), limit: 500 })).cards;
  return {
    house,
    ann,
    bob,
    cleo,
    done,
    list,
    async book(who) {
      const own = (await done(books.listBooks, who, {})).books.find(({ isDefault }) => isDefault);
      if (own === undefined) throw new Error('there is no default book');
      return own.id;
    },
    async refused(operation, { token }, input) {
      const { status, body } = await house.perform(operation, input, token);
      return `${status} ${body.error?.code}`;
    },
    add: async (who, bookId, input) => (await done(cards.createCard, who, { bookId, ...input })).card,
    names: async (who, bookId, q) => (await list(who, bookId, q)).map(({ displayName }) => displayName),
    async import({ token }, bookId, file, mode) {
      const path = `/api/contacts/books/${bookId}/import${mode === undefined ? '' : `?duplicateMode=${mode}`}`;
      const answer = await house.api('POST', path, {
        token,
        rawBody: file,
        headers: { 'content-type': 'text/vcard' },
      });
      return succeeded(answer).result as CardImportResult;
    },
    async export({ token }, bookId) {
      const url = `http://house.test/api/contacts/books/${bookId}/export`;
      const reply = await house.fetch(new Request(url, { headers: { authorization: `Bearer ${token}` } }));
      if (reply.status !== 200) throw new Error(`export: ${reply.status}`);
      return await reply.text();
    },
    async later(ms) {
      house.clock.advance(ms);
      await runDueJobs({ house }, 'contacts');
    },
    async storedBytes({ memberId }) {
      const rows = await house.ctx.db
        .selectFrom('member_storage')
        .select('bytes')
        .where('member_id', '=', memberId)
        .execute();
      return rows[0]?.bytes ?? 0;
    },
    [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose](),
  };
}

function succeeded({ status, body }: ApiAnswer) {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
