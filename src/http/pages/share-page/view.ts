import { elementsOf, type Elements } from './elements.ts';
import type { Failed } from './failure.ts';
import { kindOf } from './file-kind.ts';
import type { LinkInfo } from './link-api.ts';
import { messageFor, protection, sizeText, timeText, untilText } from './words.ts';

export interface Moved {
  readonly done: number;
  readonly total: number;
  /** bytes a second */
  readonly speed: number | undefined;
  readonly isWaiting: boolean;
}

/** What the page shows. It decides nothing. Whatever comes from outside is set as text, never as markup. */
export interface View {
  readonly elements: Elements;
  loading(): void;
  askPassword(failed: Failed): void;
  askKey(info: LinkInfo, failed: Failed | undefined): void;
  ready(info: LinkInfo, failed?: Failed): void;
  preparing(info: LinkInfo): void;
  moving(moved: Moved): void;
  done(info: LinkInfo): void;
  failed(failed: Failed, info?: LinkInfo): void;
}

/** Characters */
const LONG_NAME = 60;

type State = 'loading' | 'password' | 'key' | 'ready' | 'moving' | 'done' | 'failed';

export function openView(page: Document): View {
  const elements = elementsOf(page);
  const { card, icon, title, about, until, alert, status, download, cancel, again } = elements;
  let announced = 0;

  function become(state: State, shown: readonly HTMLElement[], image: string): void {
    card.dataset['state'] = state;
    card.setAttribute('aria-busy', String(state === 'loading'));
    title.classList.remove('long');
    const all = [elements.passwordForm, elements.keyForm, elements.transfer, download, cancel, again, until];
    for (const one of all) one.hidden = !shown.includes(one);
    icon.setAttribute('href', `#icon-${image}`);
    alert.textContent = '';
    status.textContent = '';
    elements.protection.hidden = true;
    for (const input of [elements.password, elements.key]) {
      input.value = '';
      input.disabled = false;
      input.removeAttribute('aria-invalid');
      input.type = 'password';
    }
    for (const button of card.querySelectorAll('button')) button.disabled = false;
    for (const show of card.querySelectorAll('.show')) show.setAttribute('aria-pressed', 'false');
  }

  function nameFile({ fileName, mimeType, sizeBytes, expiresAt, mode }: LinkInfo): void {
    title.textContent = fileName;
    title.classList.toggle('long', fileName.length > LONG_NAME);
    page.title = fileName;
    about.textContent = `${kindOf(mimeType).name}, ${sizeText(sizeBytes)}`;
    until.textContent = untilText(expiresAt) ?? '';
    elements.protectionText.textContent = protection[mode];
    elements.protection.hidden = false;
  }

  function complain(failed: Failed | undefined, input?: HTMLInputElement): void {
    if (failed === undefined) return;
    alert.textContent = messageFor(failed).text;
    input?.setAttribute('aria-invalid', 'true');
  }

  /** Only after something that the person did: nobody's focus moves while the page is loading. */
  let hasActed = false;
  for (const type of ['click', 'submit']) card.addEventListener(type, () => (hasActed = true), { capture: true });
  const focus = (element: HTMLElement): void => {
    if (hasActed) element.focus();
  };

  return {
    elements,
    loading() {
      become('loading', [], 'link');
      title.textContent = 'A file was shared with you';
      about.textContent = 'Opening the link…';
    },
    askPassword(failed) {
      const { title: text, text: more } = messageFor(failed);
      become('password', [elements.passwordForm], 'lock');
      title.textContent = text;
      const isWrong = failed.kind !== 'password-required';
      about.textContent = isWrong ? messageFor({ kind: 'password-required' }).text : more;
      complain(isWrong ? failed : undefined, elements.password);
      elements.password.focus();
    },
    askKey(info, failed) {
      become('key', [elements.keyForm, until], kindOf(info.mimeType).icon);
      nameFile(info);
      until.hidden = until.textContent === '';
      complain(failed, elements.key);
      elements.key.focus();
    },
    ready(info, failed) {
      become('ready', [download, until], kindOf(info.mimeType).icon);
      nameFile(info);
      until.hidden = until.textContent === '';
      download.textContent = 'Download';
      download.classList.add('primary');
      if (failed?.kind === 'cancelled') status.textContent = messageFor(failed).text;
      else complain(failed);
      focus(download);
    },
    preparing(info) {
      become('moving', [elements.transfer, cancel], kindOf(info.mimeType).icon);
      nameFile(info);
      announced = 0;
      elements.progress.removeAttribute('value');
      elements.done.textContent = 'Beginning…';
      elements.pace.textContent = '';
      status.textContent = 'The download begins.';
      focus(cancel);
    },
    moving({ done, total, speed, isWaiting }) {
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      elements.progress.value = percent;
      elements.progress.textContent = `${percent} %`;
      elements.done.textContent = `${sizeText(done)} of ${sizeText(total)}`;
      elements.pace.textContent = isWaiting
        ? 'Connection lost. Trying again…'
        : speed === undefined || speed <= 0
          ? ''
          : `${sizeText(speed)}/s, ${timeText((total - done) / speed)} left`;
      const quarter = Math.floor(percent / 25);
      // A screen reader hears of quarters: the numbers beside the bar change several times a second.
      if (quarter > announced && quarter < 4) status.textContent = `${quarter * 25} % downloaded. Keep this page open.`;
      else if (announced === 0 && quarter === 0) status.textContent = 'Keep this page open until the download ends.';
      announced = Math.max(announced, quarter);
    },
    done(info) {
      become('done', [download], 'done');
      nameFile(info);
      status.textContent =
        info.mode === 'server_proxied'
          ? 'Downloaded, and complete.'
          : 'Downloaded, complete, and every part is as it was sealed.';
      download.textContent = 'Download again';
      download.classList.remove('primary');
      focus(download);
    },
    failed(failed, info) {
      const message = messageFor(failed);
      become('failed', message.again === true ? [again] : [], 'problem');
      if (info === undefined) page.title = message.title;
      title.textContent = message.title;
      about.textContent = info?.fileName ?? '';
      alert.textContent = message.text;
      focus(title);
    },
  };
}
