import 'server-only';
import { brand } from '../api/server-environment.ts';

function ProductMark() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
      <path d="M3.5 13.5a8.5 8.5 0 0 1 17 0" />
      <path d="M12 20.5c-3.6 0-5.5-2.2-5.5-5.6 3.4 0 5.5 2 5.5 5.6Z" fill="currentColor" strokeLinejoin="round" />
      <path d="M12 20.5c0-3.6 2.1-5.6 5.5-5.6 0 3.4-1.9 5.6-5.5 5.6Z" strokeLinejoin="round" />
    </svg>
  );
}

/** The logo and the name of the company (BRAND-1). */
export function BrandLine() {
  const { name, logoUrl: logo } = brand();
  return (
    <>
      {/* biome-ignore lint/performance/noImgElement: a picture that is part of the page. */}
      {logo === null ? <ProductMark /> : <img src={logo} alt="" />}
      {name}
    </>
  );
}
