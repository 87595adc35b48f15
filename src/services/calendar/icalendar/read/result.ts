import type { JcalComponent } from '../jcal.ts';
import type { ReadProblem } from './problem.ts';
import type { Found } from './scan.ts';

/** All components of one UID, and of one kind: what a calendar stores as one object. */
export interface CalendarObject {
  readonly uid: string;
  /** VEVENT, VTODO, VJOURNAL, or what nobody knows */
  readonly component: string;
  /** `['vcalendar', properties, components]`, with the definitions of the zones that they name */
  readonly jcal: JcalComponent;
  readonly line: number;
}

/** One object of a file, or why there is none. What is wrong with a part of it, such as one changed instance, are errors too. */
export interface ReadResult {
  readonly uid: string | undefined;
  readonly line: number;
  readonly object: CalendarObject | undefined;
  readonly errors: readonly ReadProblem[];
  readonly warnings: readonly ReadProblem[];
}

/** Components of one UID, in the order of the file. */
export interface Group {
  readonly uid: string | undefined;
  readonly components: readonly Found[];
}
