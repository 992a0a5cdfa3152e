import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import '../../../src/web/components/font.css';
import './style.css';

/** Leaves the help; links of the generator stay below its base. */
const backLink = () => h('a', { href: '/', target: '_self', class: 'back' }, 'Open Tallybridge');

/** The page for an address that does not exist. */
const notFound = () =>
  h('div', { class: 'missing' }, [
    h('h1', 'This page does not exist'),
    h('p', 'The address may have changed. Search the help, or open one of these pages.'),
    h('ul', [
      h('li', h('a', { href: '/help/guide/start' }, 'Getting started')),
      h('li', h('a', { href: '/help/guide/screens' }, 'Screens')),
      h('li', h('a', { href: '/help/guide/questions' }, 'Questions')),
      h('li', h('a', { href: '/help/' }, 'All articles')),
    ]),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-content-after': backLink,
      'nav-screen-content-after': backLink,
      'not-found': notFound,
    }),
};
