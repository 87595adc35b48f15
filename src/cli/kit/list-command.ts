import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { collectPages, type Collected, type ItemOf, type ListIn } from '../../client/pages.ts';
import type { InputSchema, JsonOperation, RawInputOf, ReplyOf } from '../../contract/operation.ts';
import { ApiCommand, type ConnectionFlags } from './command.ts';
import { flagsOf } from './flags.ts';
import { table, type Column } from './table.ts';

const page = ['limit', 'cursor'];

/** Flags for which items of a long list are shown. */
export function pageFlags(usually: number) {
  return {
    limit: Flags.integer({
      description: 'show at most this many',
      default: usually,
      min: 1,
      helpValue: 'N',
      exclusive: ['all'],
    }),
    all: Flags.boolean({ description: 'show all' }),
    cursor: Flags.string({
      description: 'continue after an earlier page: the cursor in its --json',
      helpValue: 'CURSOR',
    }),
  };
}

interface PageFlags {
  readonly limit: number;
  readonly all: boolean;
  readonly cursor?: string | undefined;
}

/** Which items of a list are shown. */
export interface Shown {
  readonly most: number;
  readonly from?: string | undefined;
}

/** What `collectPages` and `collectFrom` read for the flags. */
export function shownBy({ limit, all, cursor }: PageFlags): Shown {
  return { most: all ? Number.POSITIVE_INFINITY : limit, from: cursor };
}

/** Flags for the filters of an operation's list, and for which items are shown. */
export function listFlags(operation: JsonOperation, usually = 200) {
  return { ...flagsOf(operation, { omit: page }), ...pageFlags(usually) };
}

/** A list of the contract with the table that shows it. */
export interface Listing {
  readonly operation: JsonOperation & { readonly input: InputSchema };
  readonly name: string;
  readonly columns: readonly Column<never>[];
  collect(client: Client, filter: object, shown: Shown): Promise<Collected<unknown>>;
}

/** @param name the property of the reply that holds the list */
export function listing<O extends JsonOperation, Name extends ListIn<ReplyOf<O>> & string>(
  operation: O,
  name: Name,
  columns: readonly Column<ItemOf<ReplyOf<O>[Name]>>[],
): Listing {
  return {
    operation,
    name,
    columns,
    collect: async (client, filter, shown) =>
      await collectPages(client, operation, filter as Omit<RawInputOf<O>, 'limit' | 'cursor'>, name, shown),
  };
}

/** A command that shows one list of the contract. It reads pages until there are enough items. Its flags come from `listFlags`. */
export abstract class ListCommand extends ApiCommand {
  protected abstract readonly shows: Listing;
  /** what people are told of an empty list */
  protected readonly none: string | undefined;

  async run(): Promise<void> {
    const { flags } = await this.parse(this.ctor);
    // Subclasses use `listFlags`, but the base type of commands does not know these flags.
    const chosen = flags as object as PageFlags & ConnectionFlags;
    await using client = await this.connect(chosen);
    const { operation, name, columns } = this.shows;
    const filter = await this.inputFor(operation, flags, { skip: page });
    const { items, ...more } = await this.shows.collect(client, filter, shownBy(chosen));
    await this.answer({ [name]: items, ...more }, (screen) => table(screen, items as never[], columns));
    if (items.length === 0 && !more.hasMore && this.none !== undefined) this.say(this.none);
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
