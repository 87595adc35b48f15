/** Where a link starts and ends, in UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

// All patterns are tried at one place alone and none repeats a repetition, so time is linear in the text.
const label = /[\p{L}\p{M}\p{N}\p{So}](?:[\p{L}\p{M}\p{N}\p{So}_-]{0,61}[\p{L}\p{M}\p{N}\p{So}])?/uy;
const latinLabel =
  /[\p{Script=Latin}0-9](?:[\p{Script=Latin}\u0300-\u036f0-9_-]{0,61}[\p{Script=Latin}\u0300-\u036f0-9])?/uy;
const topLevel = /xn--[a-z0-9-]{1,58}[a-z0-9]|\p{Script=Latin}{2,}|(?:(?!\p{Script=Latin})[\p{L}\p{M}]){2,}/iuy;
const afterHost = /[\p{Script=Latin}\u0300-\u036f0-9@＠]/uy;
const port = /:\d{1,5}(?!\d)/y;
const beforeUrl = /[A-Za-z0-9@＠$#＃]/;
const beforeBareHost = /[A-Za-z0-9@＠$#＃/]/;

const pathLetter = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\u0300-\u036f\d`;
const pathCharacter = String.raw`[${pathLetter}!*';:=+,.$/%#[\]\-_~@|&]`;
const pathRun = new RegExp(`${pathCharacter}*`, 'uy');
const pathToEnding = new RegExp(`${pathCharacter}*[${pathLetter}=_#/+-]`, 'uy');
const parenthesis = new RegExp(String.raw`\(${pathCharacter}*(?:\(${pathCharacter}*\)${pathCharacter}*)?\)`, 'uy');
const query = /\?[A-Za-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*[A-Za-z0-9\-_&=#/]/y;
const shortenerPath = /\/[A-Za-z0-9]+/y;

const generic = /^(?:com|org|edu|gov|net|xn--.+)$/i;
const countries = new Set(
  (
    'ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm ' +
    'cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw ' +
    'gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc ' +
    'md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt ' +
    'pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ' +
    'ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw'
  ).split(' '),
);

/** The link in the run of host characters from `start` to `end`: without a protocol at its start, or after http:// or https:// at its end. */
export function urlAt(content: string, start: number, end: number): Span | undefined {
  return bareAt(content, start, end) ?? withProtocolAt(content, start, end);
}

function bareAt(content: string, start: number, end: number): Span | undefined {
  if (beforeBareHost.test(content.charAt(start - 1)) || matchAt(afterHost, content, end)) return undefined;
  const host = hostEnd(content, start, latinLabel, (name, labels, after) => {
    if (generic.test(name)) return true;
    if (!countries.has(name.toLowerCase())) return false;
    return labels > 2 || content[after] === '/' || /^(?:co|tv)$/i.test(name);
  });
  return host === undefined ? undefined : { start, end: restEnd(content, start, host) };
}

function withProtocolAt(content: string, start: number, end: number): Span | undefined {
  if (!content.startsWith('://', end)) return undefined;
  const scheme = /https?$/i.exec(content.slice(Math.max(start, end - 5), end))?.[0];
  if (!scheme || beforeUrl.test(content.charAt(end - scheme.length - 1))) return undefined;
  const from = end + 3;
  const host = hostEnd(content, from, label, () => true);
  return host === undefined ? undefined : { start: end - scheme.length, end: restEnd(content, from, host) };
}

/** The end of the longest host from `start`. RFC 1035 limits: 63 characters in a label, 253 in total. */
function hostEnd(
  content: string,
  start: number,
  labels: RegExp,
  accepts: (topLevelName: string, labels: number, after: number) => boolean,
): number | undefined {
  let longest: number | undefined;
  let previous = '';
  let at = start;
  for (let count = 1; at - start <= 253; count += 1) {
    const name = matchAt(topLevel, content, at);
    const after = at + name.length;
    const isName = name !== '' && name.length <= 63 && !matchAt(afterHost, content, after);
    if (isName && previous && !previous.includes('_') && accepts(name, count, after)) longest = after;
    previous = matchAt(labels, content, at);
    if (!previous || content[at + previous.length] !== '.') break;
    at += previous.length + 1;
  }
  return longest;
}

function restEnd(content: string, from: number, host: number): number {
  // The addresses of this shortener are words, and the suite cuts them after the word.
  const isShortener = content.slice(from, host).toLowerCase() === 't.co';
  let end = host + matchAt(port, content, host).length;
  if (content[end] === '/' && isShortener) end += matchAt(shortenerPath, content, end).length || 1;
  else if (content[end] === '/') end = pathEnd(content, end);
  return end + matchAt(query, content, end).length;
}

function pathEnd(content: string, slash: number): number {
  let end = slash + 1;
  let at = end;
  for (;;) {
    const ending = matchAt(pathToEnding, content, at);
    if (ending) end = at + ending.length;
    at += matchAt(pathRun, content, at).length;
    const balanced = matchAt(parenthesis, content, at);
    if (!balanced) return end;
    at += balanced.length;
    end = at;
  }
}

/** The text that the sticky pattern finds at this very place, or nothing. */
export function matchAt(sticky: RegExp, content: string, index: number): string {
  sticky.lastIndex = index;
  return sticky.exec(content)?.[0] ?? '';
}
