import { type Html, html } from '@case-platform/lib/html';
import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** The quiet zone that readers need around a code, in its squares. */
const MARGIN = 4;

/**
 * A QR code as inline SVG. We draw it ourselves, so that its content stays here. It is always dark on light, as
 * cameras expect, whatever the colors of the page.
 */
export function qrCode(content: string, label: string): Html {
  const code = generate(content);
  const side = code.size + 2 * MARGIN;
  const view = `${-MARGIN} ${-MARGIN} ${side} ${side}`;
  return html`<svg class="qr-code" viewBox="${view}" role="img" aria-label="${label}" shape-rendering="crispEdges">
    <rect x="${-MARGIN}" y="${-MARGIN}" width="${side}" height="${side}" fill="#fff"/>
    <path d="${toSvgPath(code)}" fill="#000"/>
  </svg>`;
}
