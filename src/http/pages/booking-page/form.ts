import type { FieldProblem } from '../../../base/problem.ts';
import type { PublicPage, Question } from '../../../contract/calendar/booking-fields.ts';
import { bookingLimits } from '../../../contract/calendar/limits.ts';
import { html, nothing, type Html } from '../reference/html.ts';
import { notice } from './layout.ts';
import { option } from './times.ts';

type Offer = PublicPage['appointmentTypes'][number];

/** A field that people do not see. Programs that fill in everything fill it in too. */
export const TRAP = 'website';

/** What a guest has filled in, by the names of the fields. */
export type Filled = Readonly<Record<string, string>>;

interface Form {
  readonly action: string;
  readonly offer: Offer;
  readonly hidden: Readonly<Record<string, string>>;
  readonly filled: Filled;
  readonly wrong: readonly FieldProblem[];
}

/** The name of the field of a question. */
export function fieldOf(questionId: string): string {
  return `q-${questionId}`;
}

/** The form of one appointment, with what was filled in before and what is wrong with it. */
export function formMarkup({ action, offer, hidden, filled, wrong }: Form): Html {
  const wrongIn = new Map(wrong.map(({ path, message }) => [nameOf(path), message]));
  const field = (name: string, label: string, more: Partial<Field> = {}): Html =>
    fieldMarkup(
      { name, label, type: 'text', required: false, options: [], most: 0, ...more },
      filled[name] ?? '',
      wrongIn.get(name),
    );
  return html`${wrong.length === 0 ? nothing : summary(wrong, offer)}
    <form method="post" action="${action}">
      ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${field('name', 'Your name', { required: true, most: bookingLimits.name, autocomplete: 'name' })}
      ${field('email', 'Your e-mail address', { type: 'email', required: true, most: 254, autocomplete: 'email' })}
      ${offer.questions.map((question) => questionMarkup(question, filled, wrongIn))}
      ${field('guests', `Others who come (e-mail addresses with commas between, at most ${bookingLimits.guests})`, { most: 3_000 })}
      ${field('notes', 'Anything else', { type: 'textarea', most: bookingLimits.answer })}
      <div class="trap" aria-hidden="true">
        <label for="${TRAP}">Leave this empty</label>
        <input id="${TRAP}" name="${TRAP}" tabindex="-1" autocomplete="off" />
      </div>
      <button>${offer.requiresConfirmation ? 'Ask for this time' : 'Book this time'}</button>
    </form>`;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: Question['type'];
  readonly required: boolean;
  readonly options: readonly string[];
  readonly most: number;
  readonly autocomplete?: string;
}

function questionMarkup(
  { id, label, type, required, options = [] }: Question,
  filled: Filled,
  wrongIn: ReadonlyMap<string, string>,
): Html {
  const name = fieldOf(id);
  const field = { name, label, type, required, options, most: bookingLimits.answer };
  return fieldMarkup(field, filled[name] ?? '', wrongIn.get(name));
}

const inputTypes: Partial<Record<Question['type'], string>> = { email: 'email', phone: 'tel' };

function fieldMarkup(field: Field, value: string, wrong: string | undefined): Html {
  const { name, label, type, required, options, most, autocomplete } = field;
  const invalid =
    wrong === undefined ? nothing : { markup: ` aria-invalid="true" aria-describedby="${idOf(name)}-error"` };
  const needed = required ? { markup: ' required' } : nothing;
  const error = wrong === undefined ? nothing : html`<p class="error" id="${idOf(name)}-error">${label}: ${wrong}</p>`;
  const limit = most > 0 ? html` maxlength="${most}"` : nothing;
  const complete = autocomplete === undefined ? nothing : html` autocomplete="${autocomplete}"`;
  const common = html`id="${idOf(name)}" name="${name}"${needed}${invalid}`;
  const text = html`${label}${required ? '' : ' (optional)'}`;
  if (type === 'checkbox')
    return html`<div class="field check">
      <input type="checkbox" value="yes" ${common}${value === '' ? nothing : { markup: ' checked' }} />
      <label for="${idOf(name)}">${text}</label>${error}
    </div>`;
  // A text area drops the first line end behind its beginning.
  if (type === 'textarea')
    return html`<div class="field">
      <label for="${idOf(name)}">${text}</label>
      <textarea ${common}${limit}>${{ markup: '\n' }}${value}</textarea>${error}
    </div>`;
  if (type === 'select')
    return html`<div class="field">
      <label for="${idOf(name)}">${text}</label>
      <select ${common}>
        <option value="">Choose</option>
        ${options.map((one) => option(one, one === value))}</select
      >${error}
    </div>`;
  return html`<div class="field">
    <label for="${idOf(name)}">${text}</label>
    <input type="${inputTypes[type] ?? 'text'}" ${common}${limit}${complete} value="${value}" />${error}
  </div>`;
}

/** Ids of questions are letters, digits, _ and -. */
function idOf(name: string): string {
  return `field-${name}`;
}

/** Which field of the form a field of the operation is. */
function nameOf(path: string): string {
  if (path.startsWith('answers.')) return fieldOf(path.slice('answers.'.length));
  if (path === 'bookerName') return 'name';
  if (path === 'bookerEmail') return 'email';
  return path.split('.')[0] ?? path;
}

function summary(wrong: readonly FieldProblem[], { questions }: Offer): Html {
  const labels: Readonly<Record<string, string>> = {
    name: 'Your name',
    email: 'Your e-mail address',
    guests: 'Others who come',
    notes: 'Anything else',
    ...Object.fromEntries(questions.map(({ id, label }) => [fieldOf(id), label])),
  };
  const items = wrong.map(({ path, message }) => {
    const name = nameOf(path);
    const label = Object.hasOwn(labels, name) ? labels[name] : undefined;
    if (label === undefined) return html`<li>${path}: ${message}</li>`;
    return html`<li><a href="#${idOf(name)}">${label}</a>: ${message}</li>`;
  });
  return notice(
    'Please correct this',
    html`<ul>
      ${items}
    </ul>`,
  );
}
