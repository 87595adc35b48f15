import type { Scope } from '../../contract/scopes.ts';
import type { Actor } from '../actor.ts';
import type { Context } from '../context.ts';
import type { CalendarFilter, CalendarForm, CardFilter, CardForm, DavRange } from './dav-filters.ts';

/**
 * What a service shows to programs that speak DAV. `http/dav` knows methods, XML and headers, and no service; a service knows collections and
 * resources, and no request. Each function checks the permission of the actor itself.
 */

/** A collection of resources in the home of a member: a calendar, an address book. */
export interface DavCollection {
  /** segment of its path */
  readonly segment: string;
  readonly ownerId: string;
  readonly access: 'owner' | 'write' | 'read';
  /** whether its resources come from elsewhere, so that nobody changes them here */
  readonly followed?: boolean;
  /** whether what comes to the member without a place comes here */
  readonly isDefault?: boolean;
  readonly displayName: string;
  readonly description: string;
  /** changes with each change of a resource, and of what the actor sees of them */
  readonly ctag: string;
  /** for `changes`: what the collection is now */
  readonly syncToken: string;
  readonly createdAt?: number;
  /** `#rrggbb` */
  readonly color?: string;
  /** where it stands among others */
  readonly order?: number;
  /** IANA */
  readonly timezone?: string;
  /** kinds of calendar components that it takes */
  readonly components?: readonly string[];
}

export interface DavResource {
  /** last segment of its path, decoded */
  readonly name: string;
  /** a unique name of what the actor sees of it, without quotes */
  readonly etag: string;
  readonly createdAt?: number;
  readonly modifiedAt?: number;
  /** of a calendar object: `VEVENT` */
  readonly component?: string;
}

/** A resource with its content. */
export interface DavContent extends DavResource {
  readonly text: string;
  /** changes with what others who are invited see (RFC 6638 3.2.10) */
  readonly scheduleTag?: string;
}

/** A resource whose content does not open: the store is damaged. The log says so. */
export interface DavDamaged extends DavResource {
  readonly damaged: true;
}

/** What can be set of a collection. */
export interface DavChange {
  readonly displayName?: string;
  readonly description?: string;
  readonly color?: string;
  readonly order?: number;
  /** iCalendar with a VTIMEZONE, or the name of a zone */
  readonly timezone?: string;
  readonly components?: readonly string[];
}

/** One entry of a synchronisation; without an etag the resource is gone. */
export interface DavSynced {
  readonly name: string;
  readonly resource?: DavResource;
}

/** How far a synchronisation has come. */
export interface DavSyncEnd {
  readonly token: string;
  /** whether there is more behind the token */
  readonly more: boolean;
}

/** Under which conditions something is written. Tags stand without quotes. */
export interface DavConditions {
  readonly ifMatch?: readonly string[] | '*';
  readonly ifNoneMatch?: readonly string[] | '*';
  readonly ifScheduleTagMatch?: string;
}

export interface DavGiven {
  readonly bytes: Uint8Array;
  readonly conditions: DavConditions;
}

export interface DavWritten {
  readonly created: boolean;
  /** undefined if it is not stored as it was given */
  readonly etag?: string;
  readonly scheduleTag?: string;
}

/** A place for a resource. */
export interface DavNamed<C extends DavCollection = DavCollection> {
  readonly collection: C;
  readonly name: string;
}

export interface DavTransfer {
  /** of the resource that is moved or copied */
  readonly conditions: DavConditions;
  /** whether it stays where it was, too */
  readonly copy: boolean;
  /** whether it may take the place of another one */
  readonly overwrite: boolean;
}

export interface DavTransferred {
  /** whether there was nothing before */
  readonly created: boolean;
}

/**
 * Collections and resources of one kind. They lie at `/dav/<root>/<member>/<collection>/<resource>`.
 * @typeParam F how resources can be given back, other than as they are
 */
interface DavSpace<C extends DavCollection, F> {
  readonly root: string;
  /** the scope that app passwords need */
  readonly scope: Scope;
  /** media type of resources */
  readonly type: string;
  /** bytes of a resource */
  readonly mostBytes: number;
  /** what the space does, in words of the header `DAV` */
  readonly features: readonly string[];

  collections(ctx: Context, actor: Actor): Promise<readonly C[]>;
  collection(ctx: Context, actor: Actor, segment: string): Promise<C | undefined>;
  /** @throws Problem forbidden FORBIDDEN, conflict, invalid VALIDATION_ERROR */
  create(ctx: Context, actor: Actor, segment: string, change: DavChange): Promise<void>;
  /** @throws Problem forbidden FORBIDDEN, invalid VALIDATION_ERROR */
  update(ctx: Context, actor: Actor, collection: C, change: DavChange): Promise<void>;
  /** @throws Problem forbidden FORBIDDEN, conflict */
  remove(ctx: Context, actor: Actor, collection: C): Promise<void>;

  /** all resources, some at a time, in the order of their names */
  list(ctx: Context, actor: Actor, collection: C): AsyncIterable<readonly DavResource[]>;
  /**
   * What has changed since a token; without one, all that there is. It returns the token for the next time.
   * @param most entries
   * @throws Problem forbidden FORBIDDEN with the precondition `d:valid-sync-token`
   */
  changes(
    ctx: Context,
    actor: Actor,
    collection: C,
    since: string | undefined,
    most: number,
  ): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined>;
  /** resources by their names; those that are not there are missing, and what is damaged keeps nobody from the others */
  read(
    ctx: Context,
    actor: Actor,
    collection: C,
    names: readonly string[],
    form?: F,
  ): Promise<readonly (DavContent | DavDamaged)[]>;
  /** @throws Problem precondition PRECONDITION_FAILED, forbidden FORBIDDEN, conflict CONFLICT, tooLarge STORAGE_QUOTA_EXCEEDED */
  write(ctx: Context, actor: Actor, collection: C, name: string, given: DavGiven): Promise<DavWritten>;
  /**
   * Puts a resource under another name, or into another collection of the same space.
   * @throws Problem missing NOT_FOUND, and as write()
   */
  transfer(ctx: Context, actor: Actor, from: DavNamed<C>, to: DavNamed<C>, how: DavTransfer): Promise<DavTransferred>;
  /** @throws Problem missing NOT_FOUND, precondition PRECONDITION_FAILED, forbidden FORBIDDEN */
  erase(
    ctx: Context,
    actor: Actor,
    collection: C,
    name: string,
    how: { readonly conditions: DavConditions; readonly scheduleReply: boolean },
  ): Promise<void>;
}

export interface CalendarSpace<C extends DavCollection = DavCollection> extends DavSpace<C, CalendarForm> {
  readonly kind: 'calendar';
  /** people of one event */
  readonly mostAttendees: number;
  /** @throws Problem invalid VALIDATION_ERROR for a range with too many instances */
  query(
    ctx: Context,
    actor: Actor,
    collection: C,
    filter: CalendarFilter,
    form: CalendarForm | undefined,
  ): AsyncIterable<readonly (DavResource | DavContent | DavDamaged)[]>;
  /** VFREEBUSY as iCalendar */
  freeBusy(ctx: Context, actor: Actor, collection: C, range: Required<DavRange>): Promise<string>;
  /** the definition of the zone of a collection, as iCalendar */
  timezoneText(ctx: Context, collection: C): string;
  /** answers a request for free/busy (RFC 6638 5), for each recipient */
  requestBusy(ctx: Context, actor: Actor, bytes: Uint8Array): Promise<readonly RecipientBusy[]>;
}

export interface RecipientBusy {
  /** as the request named it */
  readonly recipient: string;
  /** such as `2.0;Success` */
  readonly status: string;
  readonly text?: string;
}

export interface AddressbookSpace<C extends DavCollection = DavCollection> extends DavSpace<C, CardForm> {
  readonly kind: 'addressbook';
  query(
    ctx: Context,
    actor: Actor,
    collection: C,
    filter: CardFilter,
    form: CardForm | undefined,
  ): AsyncIterable<readonly (DavResource | DavContent | DavDamaged)[]>;
}

export type AnySpace = CalendarSpace | AddressbookSpace;
