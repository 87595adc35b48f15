import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../../src/services/mail/message/html-text.ts';
import { factsOf } from '../../../src/services/mail/storage/structure.ts';
import { parsed } from '../../support/mail-messages.ts';

/** As Word 2016 and Outlook write a table. */
const outlook = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head><style><!-- table.MsoNormalTable {font-size:10.0pt;} --></style></head>
<body lang=EN-GB link="#0563C1"><div class=WordSection1>
<p class=MsoNormal>Dear all,<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none'>
 <tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'>
  <td width=200 valign=top style='width:150.25pt;border:solid windowtext 1.0pt'>
  <p class=MsoNormal><b>Room<o:p></o:p></b></p>
  </td>
  <td width=200 valign=top style='width:150.25pt'>
  <p class=MsoNormal><b>Who has<br>it</b><o:p></o:p></p>
  </td>
  <td width=100><p class=MsoNormal><b>Seats<o:p></o:p></b></p></td>
 </tr>
 <tr style='mso-yfti-irow:1'>
  <td width=200><p class=MsoNormal>Blue<o:p></o:p></p></td>
  <td width=200><p class=MsoNormal>Ada<o:p></o:p></p></td>
  <td width=100><p class=MsoNormal align=right>12<o:p></o:p></p></td>
 </tr>
 <tr style='mso-yfti-irow:2;mso-yfti-lastrow:yes'>
  <td width=200><p class=MsoNormal>Green<o:p></o:p></p></td>
  <td width=200><p class=MsoNormal><o:p>&nbsp;</o:p></p></td>
  <td width=100><p class=MsoNormal align=right>8<o:p></o:p></p></td>
 </tr>
</table>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoNormal>Regards<o:p></o:p></p>
</div></body></html>`;

/** Tables in tables for the layout, with cells and rows that make room, as programs for newsletters write them. */
const newsletter = `<body><center>
<!--[if mso]><table width="600"><tr><td><![endif]-->
<table role="presentation" width="100%"><tbody><tr><td align="center">
 <table role="presentation" class="wrapper"><tbody>
  <tr><td height="20" style="font-size:0;line-height:0">&nbsp;</td></tr>
  <tr><td><table width="100%"><tr>
   <td width="20"></td><td><a href="https://news.example/"><img src="logo.png" alt="The News"></a></td>
   <td align="right"><a href="https://news.example/w">In a browser</a></td><td width="20"></td>
  </tr></table></td></tr>
  <tr><td height="20"><img src="spacer.gif" alt="" width="1" height="20"></td></tr>
  <tr><td><table><tbody>
   <tr><td width="50%"><table><tr><td><h2>One</h2></td></tr><tr><td><p>The first story.</p><p>It goes on.</p></td></tr></table></td>
   <td width="50%"><table><tr><td><h2>Two</h2></td></tr><tr><td><p>The second story.</p></td></tr></table></td></tr>
   <tr><td colspan="2" height="30">&nbsp;</td></tr>
  </tbody></table></td></tr>
  <tr><td>&nbsp;</td></tr><tr><td><br></td></tr>
  <tr><td><table align="center"><tr><td bgcolor="#ff0000"><a href="https://news.example/all">Read all</a></td></tr></table></td></tr>
 </tbody></table>
</td></tr></tbody></table>
<!--[if mso]></td></tr></table><![endif]-->
<p>You get this because you asked.</p></center></body>`;

/** As shops confirm an order. */
const order = `<p>Thank you!</p>
<table class="order"><caption>Order 4711</caption>
<thead><tr><th align="left">Item</th><th>Quantity</th><th>Price</th></tr></thead>
<tbody>
<tr><td>Blue shirt<br><small>Size M</small></td><td>2</td><td>&euro;&nbsp;40.00</td></tr>
<tr><td>Socks</td><td>1</td><td>&euro;&nbsp;5.00</td></tr>
</tbody>
<tfoot>
<tr><td colspan="2">Shipping</td><td>&euro;&nbsp;0.00</td></tr>
<tr><td></td><th colspan="1000000000">Total</th><td>&euro;&nbsp;45.00</td></tr>
</tfoot></table>
<table><tr><td>Bill to:<br>Ada<br>1 Street</td><td>Ship to:<br>Bob<br>2 Street</td></tr></table>`;

/** An answer as Gmail quotes what it answers. */
const gmail = `<div dir="ltr">Fine with me.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Bob wrote:<br></div>
<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex"><div dir="ltr"><table cellspacing="0"><colgroup><col width="100"><col></colgroup>
<tbody><tr><td>May</td><td>12</td></tr><tr><td>June</td><td>7</td></tr></tbody></table><br></div></blockquote></div>`;

describe('tables of HTML as text', () => {
  it('have a line for each row, and a tab between cells', () => {
    expect(htmlToText('<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>')).toBe('a\tb\nc\td');
  });

  it('are read as Outlook writes them', () => {
    expect(htmlToText(outlook)).toBe(
      'Dear all,\n\n\u00a0\n\nRoom\tWho has\nit\tSeats\nBlue\tAda\t12\nGreen\t8\n\n\u00a0\n\nRegards',
    );
  });

  it('may be the layout of a newsletter', () => {
    expect(htmlToText(newsletter)).toBe(
      [
        '[The News] [https://news.example/]\tIn a browser [https://news.example/w]',
        'One\n\nThe first story.\n\nIt goes on.',
        'Two\nThe second story.',
        'Read all [https://news.example/all]',
        'You get this because you asked.',
      ].join('\n\n'),
    );
  });

  it('may be of an order', () => {
    expect(htmlToText(order)).toBe(
      [
        'Thank you!',
        'Order 4711\nItem\tQuantity\tPrice\nBlue shirt\nSize M\t2\t€\u00a040.00\nSocks\t1\t€\u00a05.00\nShipping\t€\u00a00.00\nTotal\t€\u00a045.00',
        'Bill to:\nAda\n1 Street\n\nShip to:\nBob\n2 Street',
      ].join('\n\n'),
    );
  });

  it('may be quoted', () => {
    expect(htmlToText(gmail)).toBe('Fine with me.\n\nOn Mon, Bob wrote:\n\n\n> May\t12\n> June\t7');
  });

  it('lose nothing that stands where it should not', () => {
    expect(htmlToText('<table>a<td>b<td>c<tr><td>d<td>e<p>f</table>g')).toBe('a\tb\tc\n\nd\n\ne\n\nf\n\ng');
    expect(htmlToText('<table><form><tr>h<td>i</td><b>j</b></tr></form><div>k</div></table>')).toBe('h\ti\tj\nk');
    expect(htmlToText('<b><td>l<td>m</b><div><tr><td>n<td>o</div>')).toBe('l\nm\nn\to');
    expect(htmlToText('<tr><td>p<b><td>q<tr><td>r')).toBe('p\nq\nr');
  });

  it('keep lists and preformatted text in their cells', () => {
    expect(htmlToText('<table><tr><td><ul><li>a<li>b</ul></td></tr><tr><td><pre>  c\n d</pre></table>')).toBe(
      ' * a\n * b\n\n  c\n d',
    );
  });

  it('are read to the end, with cells and rows that nothing closes', () => {
    const rows = Array.from({ length: 2000 }, (_, index) => `<tr><td>${index}<td>x`);
    const shown = htmlToText(`<table>${rows.join('\n')}`).split('\n');
    expect([shown.length, shown[1], shown[1999]]).toEqual([2000, '1\tx', '1999\tx']);
  });

  it('are words for previews and searches', async () => {
    const message = ['From: a@home.example', 'Content-Type: text/html; charset=utf-8', '', order].join('\r\n');
    const all = await parsed(Buffer.from(message));
    expect(factsOf(all, message.length, 'id').text).toContain('\nItem\tQuantity\tPrice\nBlue shirt\n');
    expect(all.preview).toMatch(
      /^Thank you! Order 4711 Item Quantity Price Blue shirt Size M 2 € 40.00 Socks 1 € 5.00/,
    );
  });
});
