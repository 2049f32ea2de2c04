import DefaultTheme from 'vitepress/theme';
import './roost.css';

export default DefaultTheme;
