import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gsmText } from './gsm-text.ts';

test('[SMS-4] a text message has plain quotes, dashes, and spaces, and names keep their letters', () => {
  assert.equal(gsmText('“It’s 2\u202FPM” – or ‘3’ — soon…\u00A0'), "\"It's 2 PM\" - or '3' - soon... ");
  assert.equal(gsmText('José 你好 @£$¥èéùìòÇØøÅåΔ_ÆæßÉÄÖÑÜ§¿äöñüà'), 'José 你好 @£$¥èéùìòÇØøÅåΔ_ÆæßÉÄÖÑÜ§¿äöñüà');
});
