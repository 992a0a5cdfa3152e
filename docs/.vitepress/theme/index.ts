import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './style.css';

/** Leaves the help; links of the generator stay below its base. */
const backLink = () => h('a', { href: '/', target: '_self', class: 'back' }, 'Open Tallybridge');

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, { 'nav-bar-content-after': backLink, 'nav-screen-content-after': backLink }),
};
