import { expect, test } from 'vitest';
import { titlesOf } from './titles.ts';

test('lists the page and its sections with their anchors', () => {
  const html = `<h1 id="screens" tabindex="-1">Screens <a class="header-anchor" href="#screens">​</a></h1>
    <h2 id="p-l" tabindex="-1">Profit &amp; <em>loss</em> <a class="header-anchor" href="#p-l">​</a></h2>
    <h3 id="deep" tabindex="-1">Not listed <a class="header-anchor" href="#deep">​</a></h3>`;
  expect(titlesOf('guide/screens', html)).toEqual([
    { path: 'guide/screens', title: 'Screens', page: 'Screens' },
    { path: 'guide/screens#p-l', title: 'Profit & loss', page: 'Screens' },
  ]);
});
