import type { Context } from '../../../service/context.ts';
import type { AppointmentType, GivenAppointmentType, Question } from '../../../contract/calendar/booking-fields.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { requireCalendar } from '../access.ts';

/**
 * Kinds of appointments as they are stored.
 * @param before those that the page has: others have no id, and get one
 * @throws Problem invalid VALIDATION_ERROR
 */
export function checkedTypes(
  ctx: Pick<Context, 'clock' | 'random'>,
  given: readonly GivenAppointmentType[],
  before: readonly AppointmentType[] = [],
): AppointmentType[] {
  const known = new Set(before.map(({ id }) => id));
  const names = new Set<string>();
  const ids = new Set<string>();
  return given.map((type, at) => {
    const field = `appointmentTypes.${at}`;
    const name = type.name.normalize('NFKC').toLowerCase();
    if (names.has(name)) throw fieldProblem(`${field}.name`, 'is the name of another kind of this page');
    names.add(name);
    const { id = recordId(ctx.clock.now(), ctx.random) } = type;
    if (type.id !== undefined && !known.has(type.id))
      throw fieldProblem(`${field}.id`, 'is no kind of appointment of this page');
    if (ids.has(id)) throw fieldProblem(`${field}.id`, 'is given twice');
    ids.add(id);
    return checkedType(id, type, field);
  });
}

function checkedType(id: string, given: GivenAppointmentType, field: string): AppointmentType {
  const { bufferMinutes = 0, location, conferenceUri, maxPerDay, maxPerWeek, color } = given;
  const overrides = given.dateOverrides ?? [];
  for (const [at, { date }] of overrides.entries()) {
    const path = `${field}.dateOverrides.${at}.date`;
    if (!isDay(date)) throw fieldProblem(path, 'must be a day such as 2026-03-29');
    if (overrides.findIndex((other) => other.date === date) !== at) throw fieldProblem(path, 'is given twice');
  }
  return {
    id,
    name: given.name,
    description: given.description ?? '',
    durationMinutes: given.durationMinutes,
    slotIntervalMinutes: given.slotIntervalMinutes ?? given.durationMinutes,
    bufferBeforeMinutes: given.bufferBeforeMinutes ?? bufferMinutes,
    bufferAfterMinutes: given.bufferAfterMinutes ?? bufferMinutes,
    availableWindows: given.availableWindows,
    dateOverrides: overrides,
    ...(location !== undefined && { location }),
    ...(conferenceUri !== undefined && { conferenceUri }),
    questions: checkedQuestions(given.questions ?? [], field),
    ...(maxPerDay !== undefined && { maxPerDay }),
    ...(maxPerWeek !== undefined && { maxPerWeek }),
    seats: given.seats,
    requiresConfirmation: given.requiresConfirmation,
    ...(color !== undefined && { color }),
    active: given.active,
  };
}

type GivenQuestion = NonNullable<GivenAppointmentType['questions']>[number];

function checkedQuestions(given: readonly GivenQuestion[], field: string): Question[] {
  const ids = new Set<string>();
  return given.map(({ id = '', label, type, required, options }, at) => {
    const path = `${field}.questions.${at}`;
    if (ids.has(id) && id !== '') throw fieldProblem(`${path}.id`, 'is given twice');
    if (type === 'select' && (options ?? []).length === 0)
      throw fieldProblem(`${path}.options`, 'is required for select');
    if (type !== 'select' && options !== undefined) throw fieldProblem(`${path}.options`, 'is for select alone');
    const own = id === '' ? freeId(given, ids, at) : id;
    ids.add(own);
    return { id: own, label, type, required, ...(options !== undefined && { options }) };
  });
}

function freeId(given: readonly GivenQuestion[], ids: ReadonlySet<string>, at: number): string {
  const taken = (id: string): boolean => ids.has(id) || given.some((one) => one.id === id);
  for (let number = at + 1; ; number += 1) if (!taken(`q${number}`)) return `q${number}`;
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/**
 * Bookings come into a calendar of the host's own; events of every calendar that the host sees can take time.
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN
 */
export async function checkCalendars(
  ctx: Context,
  memberId: string,
  {
    calendarId,
    conflictCalendarIds: conflicts = [],
  }: { readonly calendarId?: string | undefined; readonly conflictCalendarIds?: readonly string[] | undefined },
): Promise<void> {
  if (calendarId !== undefined) await requireCalendar(ctx, memberId, calendarId, 'owner');
  for (const id of conflicts) await requireCalendar(ctx, memberId, id, 'freebusy');
}

type Answers = Readonly<Record<string, string | boolean>>;

const addressForm = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$/;
const phoneForm = /^\+?[\d\s()./-]{3,40}$/;

/** What a guest answered to the questions of a kind of appointment. @throws Problem invalid VALIDATION_ERROR */
export function checkedAnswers({ questions }: Pick<AppointmentType, 'questions'>, given: Answers): Answers {
  const ids = new Set(questions.map(({ id }) => id));
  const unknown = Object.keys(given).find((id) => !ids.has(id));
  if (unknown !== undefined) throw fieldProblem('answers', 'has an answer to a question that is not asked');
  const answers: Record<string, string | boolean> = {};
  for (const question of questions) {
    const answer = answerTo(question, Object.hasOwn(given, question.id) ? given[question.id] : undefined);
    if (answer !== undefined)
      Object.defineProperty(answers, question.id, { value: answer, enumerable: true, configurable: true });
  }
  return answers;
}

function answerTo(
  { id, type, required, options = [] }: Question,
  given: string | boolean | undefined,
): string | boolean | undefined {
  const field = `answers.${id}`;
  if (type === 'checkbox') {
    if (typeof given === 'string') throw fieldProblem(field, 'must be true or false');
    if (required && given !== true) throw fieldProblem(field, 'must be ticked');
    return given;
  }
  if (typeof given === 'boolean') throw fieldProblem(field, 'must be text');
  const text = given?.trim() ?? '';
  if (text === '') {
    if (required) throw fieldProblem(field, 'is required');
    return undefined;
  }
  if (type !== 'textarea' && text.includes('\n')) throw fieldProblem(field, 'must be one line');
  if (type === 'email' && !addressForm.test(text)) throw fieldProblem(field, 'is not an e-mail address');
  if (type === 'phone' && !phoneForm.test(text)) throw fieldProblem(field, 'is not a phone number');
  if (type === 'select' && !options.includes(text)) throw fieldProblem(field, 'must be one of the options');
  return text;
}
