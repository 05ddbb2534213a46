import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';

/** The width of the quiet zone that scanners need, in modules. */
const QUIET = 4;

/** A QR code, drawn in the page so that no other server gets its text, and dark on white in both themes for scanners. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  const side = code.size + 2 * QUIET;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-box border border-hairline"
    >
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  );
}
