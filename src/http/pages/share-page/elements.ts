/** The parts of page.html that change. */
export interface Elements {
  readonly card: HTMLElement;
  readonly host: HTMLElement;
  readonly icon: SVGUseElement;
  readonly title: HTMLElement;
  readonly about: HTMLElement;
  readonly until: HTMLElement;
  readonly alert: HTMLElement;
  readonly status: HTMLElement;
  readonly passwordForm: HTMLFormElement;
  readonly password: HTMLInputElement;
  readonly keyForm: HTMLFormElement;
  readonly key: HTMLInputElement;
  readonly transfer: HTMLElement;
  readonly progress: HTMLProgressElement;
  readonly done: HTMLElement;
  readonly pace: HTMLElement;
  readonly download: HTMLButtonElement;
  readonly cancel: HTMLButtonElement;
  readonly again: HTMLButtonElement;
  readonly protection: HTMLElement;
  readonly protectionText: HTMLElement;
}

/** @throws Error if the page is not the one that belongs to this script */
export function elementsOf(page: Document): Elements {
  const of = <T extends Element>(id: string, kind: new () => T): T => {
    const found = page.querySelector(`#${id}`);
    if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
    return found;
  };
  return {
    card: of('card', HTMLElement),
    host: of('host', HTMLElement),
    icon: of('icon', SVGUseElement),
    title: of('title', HTMLElement),
    about: of('about', HTMLElement),
    until: of('until', HTMLElement),
    alert: of('alert', HTMLElement),
    status: of('status', HTMLElement),
    passwordForm: of('password-form', HTMLFormElement),
    password: of('password', HTMLInputElement),
    keyForm: of('key-form', HTMLFormElement),
    key: of('key', HTMLInputElement),
    transfer: of('transfer', HTMLElement),
    progress: of('progress', HTMLProgressElement),
    done: of('done', HTMLElement),
    pace: of('pace', HTMLElement),
    download: of('download', HTMLButtonElement),
    cancel: of('cancel', HTMLButtonElement),
    again: of('again', HTMLButtonElement),
    protection: of('protection', HTMLElement),
    protectionText: of('protection-text', HTMLElement),
  };
}
