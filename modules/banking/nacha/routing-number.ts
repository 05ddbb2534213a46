const WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** The ranges of the first two digits: government, districts, thrifts, electronic, and traveler's checks (BANK-4). */
function isPrefixInUse(prefix: number): boolean {
  return prefix <= 12 || (prefix >= 21 && prefix <= 32) || (prefix >= 61 && prefix <= 72) || prefix === 80;
}

/** True for nine digits in a range in use, whose sum weighted 3-7-1 ends in zero (ABA routing number). */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || /^0+$/.test(text) || !isPrefixInUse(Number(text.slice(0, 2)))) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(text[index]), 0);
  return sum % 10 === 0;
}
