/** What programs look for in collections: the filters of RFC 4791 9.7 and RFC 6352 10.5, without their XML. */

/** UTC milliseconds; an end that is missing is open. The second is no longer within. */
export interface DavRange {
  readonly from?: number;
  readonly to?: number;
}

export interface TextMatch {
  readonly value: string;
  readonly collation: 'octet' | 'ascii' | 'unicode';
  readonly how: 'equals' | 'contains' | 'starts-with' | 'ends-with';
  readonly negate: boolean;
}

export interface ParamFilter {
  /** upper-case */
  readonly name: string;
  readonly absent: boolean;
  readonly text?: TextMatch;
}

export interface PropFilter {
  /** upper-case */
  readonly name: string;
  readonly absent: boolean;
  readonly range?: DavRange;
  /** `any`: one of the texts and parameters is enough */
  readonly test: 'all' | 'any';
  readonly texts: readonly TextMatch[];
  readonly params: readonly ParamFilter[];
}

/** A filter on components: the outermost one is of VCALENDAR. */
export interface CalendarFilter {
  /** upper-case */
  readonly name: string;
  readonly absent: boolean;
  readonly range?: DavRange;
  readonly props: readonly PropFilter[];
  readonly components: readonly CalendarFilter[];
}

export interface CardFilter {
  readonly test: 'all' | 'any';
  readonly props: readonly PropFilter[];
}

/** The properties that are given back: their upper-case names, and whether without their values. */
export type PropertyParts = ReadonlyMap<string, { readonly noValue: boolean }>;

/** What of a component is given back (RFC 4791 9.6.1). */
export interface ComponentParts {
  /** undefined: all */
  readonly props: PropertyParts | undefined;
  /** by their upper-case names; undefined: all */
  readonly components: ReadonlyMap<string, ComponentParts> | undefined;
}

/** How calendar objects are given back. */
export interface CalendarForm {
  /** of VCALENDAR: only these parts */
  readonly parts?: ComponentParts;
  /** instances instead of rules, in UTC */
  readonly expand?: Required<DavRange>;
  /** only what was changed of instances within */
  readonly limit?: Required<DavRange>;
}

/** How contacts are given back (RFC 6352 10.4). */
export interface CardForm {
  /** a name may have a group, as `ITEM1.EMAIL`; undefined: all */
  readonly props?: PropertyParts;
}
