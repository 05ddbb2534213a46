import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { CASE_1 } from '../support/cast.ts';
import { startApi } from '../support/platform.ts';

const api = await startApi();
const parent = await api.as('parent');

test('[Messaging endpoints 1] a picture sent with a message keeps its pixels and loses the place where it was taken', async () => {
  const place = {
    GPSLatitudeRef: 'N',
    GPSLatitude: '52/1 31/1 12/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '13/1 24/1 18/1',
  };
  const plain = sharp({ create: { width: 40, height: 30, channels: 3, background: '#3a7d7c' } });
  const content = await plain
    .jpeg()
    .withExif({ IFD0: { Make: 'Telltale' }, IFD3: place })
    .toBuffer();
  assert.ok(content.includes('Telltale'));
  const file = { name: 'scan.jpg', type: 'image/jpeg', content };
  const { status, body } = await parent.form('/api/messages', { message: 'Here it is', case_id: String(CASE_1) }, [
    file,
  ]);
  assert.equal(status, 201, JSON.stringify(body));
  const [stored] = body.message.files;
  const received = Buffer.from(await (await fetch(stored.url)).arrayBuffer());
  assert.equal(received.length, stored.size);
  assert.ok(!received.includes('Telltale') && (await sharp(received).metadata()).exif === undefined);
  assert.ok((await sharp(received).raw().toBuffer()).equals(await sharp(content).raw().toBuffer()));
});

test('[Messaging endpoints 1] a file that merely begins like a picture is passed on as it is', async () => {
  const content = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(40, 7)]);
  const file = { name: 'odd.jpg', type: 'image/jpeg', content };
  const { status, body } = await parent.form('/api/messages', { message: 'Odd', case_id: String(CASE_1) }, [file]);
  assert.equal(status, 201, JSON.stringify(body));
  const received = Buffer.from(await (await fetch(body.message.files[0].url)).arrayBuffer());
  assert.ok(received.equals(content));
});
